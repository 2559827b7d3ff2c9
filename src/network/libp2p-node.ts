/**
 * The libp2p node under the network: which modules, tuned by limits.ts. Called by openNetwork, which gets from the
 * runtime what differs between a page and headless: transports, listen addresses, discovery, datastore.
 */
import { type GossipSub, gossipsub } from "@libp2p/gossipsub";
import { type Identify, type IdentifyPush, identify, identifyPush } from "@libp2p/identify";
import {
  type ConnectionGater,
  InvalidParametersError,
  type Libp2p,
  type PrivateKey,
} from "@libp2p/interface";
import { type KadDHT, kadDHT, passthroughMapper } from "@libp2p/kad-dht";
import type { Keychain, KeychainComponents } from "@libp2p/keychain";
import { type ICryptoInterface, noise } from "@libp2p/noise";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { type Ping, ping } from "@libp2p/ping";
import { MemoryDatastore } from "datastore-core";
import { createLibp2p, type Libp2pInit } from "libp2p";
import { systemClock } from "../sharing/system-clock.ts";
import { directness } from "./announcing/author-addresses.ts";
import { originOfPeer } from "./connecting/connected-peers.ts";
import { boundDials } from "./libp2p/bounded-dials.ts";
import { boundGossip } from "./libp2p/bounded-gossip.ts";
import { boundIdentify } from "./libp2p/bounded-identify.ts";
import { boundNegotiation } from "./libp2p/bounded-negotiation.ts";
import { capAddresses } from "./libp2p/capped-addresses.ts";
import { gossipOptions } from "./libp2p/gossip-options.ts";
import { sparingYamux } from "./libp2p/sparing-yamux.ts";
import { averageSteadily } from "./libp2p/steady-timeouts.ts";
import { cutOffUndecodable } from "./libp2p/undecodable-gossip.ts";
import * as limits from "./limits.ts";
import type { NetworkLog } from "./network-log.ts";
import { capDht } from "./providers/capped-dht.ts";
import { tellOfKnown } from "./providers/known-providers.ts";
import { renewNothing } from "./providers/own-renewal.ts";
import { DHT_PREFIX, withProviderRecords } from "./providers/provider-records.ts";
import { noteOnce } from "./providers/told-addresses.ts";
import { RelayClient, type RelayClientComponents } from "./relay/relay-client.ts";
import { relayServer } from "./relay/relay-server.ts";
import { announceTopic, dhtProtocol, excerptTopic } from "./swarm-name.ts";

/** Makes libp2p's store of private keys. */
export type KeychainFactory = (components: KeychainComponents) => Keychain;

export interface NodeSettings {
  privateKey: PrivateKey;
  transports: NonNullable<Libp2pInit["transports"]>;
  /** Asked for before noise, which every runtime has. */
  encrypters: NonNullable<Libp2pInit["connectionEncrypters"]>;
  /** What noise computes with; undefined: what the library finds best. */
  noiseCrypto?: ICryptoInterface | undefined;
  listen: string[];
  discovery: NonNullable<Libp2pInit["peerDiscovery"]>;
  datastore: Libp2pInit["datastore"];
  keychain?: KeychainFactory | undefined;
  gater: ConnectionGater;
  swarmName: string;
  relayServer: boolean;
  agentVersion: string;
  log: NetworkLog;
}

export type Libp2pNode = Libp2p<{
  identify: Identify;
  identifyPush: IdentifyPush;
  ping: Ping;
  gossip: GossipSub;
  dht: KadDHT;
  relays: RelayClient;
}>;

/** Not started yet, so that handlers are in place before the first peer. */
export async function createLibp2pNode(settings: NodeSettings): Promise<Libp2pNode> {
  averageSteadily();
  const ownId = peerIdFromPrivateKey(settings.privateKey).toString();
  const originOf = (peerId: string) => originOfPeer(node, peerId);
  const node: Libp2pNode = await createLibp2p({
    start: false,
    privateKey: settings.privateKey,
    nodeInfo: { userAgent: settings.agentVersion },
    addresses: { listen: settings.listen },
    transports: settings.transports,
    connectionEncrypters: [
      ...settings.encrypters,
      noise({ ...(settings.noiseCrypto && { crypto: settings.noiseCrypto }) }),
    ],
    streamMuxers: [
      sparingYamux({
        maxInboundStreams: limits.MAX_INBOUND_STREAMS,
        maxEarlyStreams: limits.MAX_EARLY_STREAMS,
        streamOptions: {
          inactivityTimeout: limits.STREAM_INACTIVITY_MS,
        },
      }),
    ],
    peerDiscovery: settings.discovery,
    datastore: withProviderRecords(settings.datastore ?? new MemoryDatastore(), ownId, originOf),
    connectionGater: settings.gater,
    connectionManager: {
      maxConnections: limits.MAX_CONNECTIONS,
      maxIncomingPendingConnections: limits.MAX_PENDING_CONNECTIONS,
      inboundConnectionThreshold: limits.MAX_NEW_CONNECTIONS_PER_HOST_PER_SECOND,
      inboundUpgradeTimeout: limits.INBOUND_UPGRADE_TIMEOUT_MS,
      inboundStreamProtocolNegotiationTimeout: limits.PING_PATIENCE_MS,
      addressDialTimeout: limits.ADDRESS_DIAL_TIMEOUT_MS,
      dialTimeout: limits.DIAL_TIMEOUT_MS,
      maxParallelDials: limits.MAX_PARALLEL_DIALS,
      maxDialQueueLength: limits.MAX_DIAL_QUEUE,
      maxPeerAddrsToDial: limits.MAX_ADDRESSES_TO_DIAL,
      addressSorter: (a, b) => Math.sign(directness(a.multiaddr) - directness(b.multiaddr)) as -1 | 0 | 1,
    },
    connectionMonitor: {
      pingInterval: limits.PING_INTERVAL_MS,
      pingTimeout: { minTimeout: limits.PING_PATIENCE_MS, maxTimeout: limits.PING_PATIENCE_MS },
    },
    services: {
      identify: identify(),
      identifyPush: identifyPush(),
      ping: ping({
        timeout: limits.PING_PATIENCE_MS,
        maxInboundStreams: limits.MAX_PINGS_PER_CONNECTION,
        maxOutboundStreams: limits.MAX_PINGS_PER_CONNECTION,
        runOnLimitedConnection: true,
      }),
      gossip: gossipsub(gossipOptions([announceTopic(settings.swarmName), excerptTopic(settings.swarmName)])),
      dht: kadDHT({
        protocol: dhtProtocol(settings.swarmName),
        peerInfoMapper: passthroughMapper,
        clientMode: true,
        datastorePrefix: DHT_PREFIX,
        // Providers are all that nodes look up. Values, of which libp2p takes public keys, would be kept without end.
        validators: { pk: refuseValue },
        // The records of others are dropped by age; for own ones see own-renewal.
        reprovide: {
          interval: limits.REPROVIDE_INTERVAL_MS,
          validity: limits.PROVIDER_RECORD_TTL_MS,
        },
      }),
      ...(settings.keychain && { keychain: settings.keychain }),
      relays: (components: RelayClientComponents) => new RelayClient(components, settings.log),
      ...(settings.relayServer && { relayServer: relayServer() }),
    },
  });
  boundDials(node);
  boundGossip(node.services.gossip, originOf);
  cutOffUndecodable(node);
  boundNegotiation(node);
  boundIdentify(node);
  capAddresses(node.peerStore);
  capDht(node.services.dht, originOf);
  tellOfKnown(node.services.dht, node.peerStore);
  renewNothing(node.services.dht);
  noteOnce(node.services.dht, node.peerStore, systemClock);
  return node;
}

function refuseValue(): Promise<never> {
  return Promise.reject(new InvalidParametersError("values are not kept"));
}
