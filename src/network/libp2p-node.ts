/**
 * The libp2p node under the network: which modules, tuned by limits.ts. Called by openNetwork, which gets from the
 * runtime what differs between a page and headless: transports, listen addresses, discovery, datastore.
 */
import { type GossipSub, gossipsub, StrictSign } from "@libp2p/gossipsub";
import { type Identify, type IdentifyPush, identify, identifyPush } from "@libp2p/identify";
import {
  type ConnectionGater,
  InvalidParametersError,
  type Libp2p,
  type PeerId,
  type PrivateKey,
} from "@libp2p/interface";
import { type KadDHT, kadDHT, passthroughMapper } from "@libp2p/kad-dht";
import type { Keychain, KeychainComponents } from "@libp2p/keychain";
import { type ICryptoInterface, noise } from "@libp2p/noise";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { type Ping, ping } from "@libp2p/ping";
import { MemoryDatastore } from "datastore-core";
import { createLibp2p, type Libp2pInit } from "libp2p";
import { base64 } from "multiformats/bases/base64";
import { systemClock } from "../sharing/system-clock.ts";
import { directness } from "./announcing/author-addresses.ts";
import { originOfPeer } from "./connecting/connected-peers.ts";
import { boundDials } from "./libp2p/bounded-dials.ts";
import { boundGossip } from "./libp2p/bounded-gossip.ts";
import { boundIdentify } from "./libp2p/bounded-identify.ts";
import { boundNegotiation } from "./libp2p/bounded-negotiation.ts";
import { capAddresses } from "./libp2p/capped-addresses.ts";
import { sparingYamux } from "./libp2p/sparing-yamux.ts";
import { averageSteadily } from "./libp2p/steady-timeouts.ts";
import * as limits from "./limits.ts";
import type { NetworkLog } from "./network-log.ts";
import { capDht } from "./providers/capped-dht.ts";
import { tellOfKnown } from "./providers/known-providers.ts";
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
        // Nothing is left for kad-dht to renew: provider-announcer does, in time. The records of others are dropped by age.
        reprovide: {
          interval: limits.REPROVIDE_INTERVAL_MS,
          threshold: 0,
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
  noteOnce(node.services.dht, node.peerStore, systemClock);
  return node;
}

function refuseValue(): Promise<never> {
  return Promise.reject(new InvalidParametersError("values are not kept"));
}

type PeerErrorHandler = (error: Error, peerId: PeerId) => void;

/**
 * After a length prefix that is no length gossipsub reads no further but leaves its stream open, and swallows all that
 * still comes: such a peer loses its connection.
 */
function cutOffUndecodable(node: Libp2pNode): void {
  const gossip = node.services.gossip as GossipSub & { handlePeerReadStreamError: PeerErrorHandler };
  const onReadError = gossip.handlePeerReadStreamError.bind(gossip);
  gossip.handlePeerReadStreamError = (error, peerId) => {
    onReadError(error, peerId);
    if (!/^Invalid(Message|Data)Length/.test(error.name)) return;
    for (const connection of node.getConnections(peerId)) connection.abort(error);
  };
}

function gossipOptions(topics: string[]): NonNullable<Parameters<typeof gossipsub>[0]> {
  return {
    globalSignaturePolicy: StrictSign,
    fallbackToFloodsub: false,
    // To every connected follower, not the mesh alone: a fresh connection is heard before the mesh has formed.
    floodPublish: true,
    emitSelf: false,
    allowPublishToZeroTopicPeers: true,
    allowedTopics: topics,
    maxInboundStreams: 2,
    maxOutboundStreams: 2,
    runOnLimitedConnection: true,
    maxInboundDataLength: limits.MAX_RPC_BYTES,
    maxOutboundBufferSize: limits.MAX_GOSSIP_BUFFER_BYTES,
    maxTopicBytesPerPeer: limits.MAX_TOPIC_BYTES_PER_PEER,
    // A dozen peers bring each message, and the library checks the signature of every copy that it does not know by
    // this. With its author, since other kinds of keys than ours can be made to fit a signature that is known.
    fastMsgIdFn: ({ from, signature }) => `${textOf(from)} ${textOf(signature)}`,
    decodeRpcLimits: {
      maxSubscriptions: limits.MAX_RPC_SUBSCRIPTIONS,
      maxMessages: limits.MAX_RPC_MESSAGES,
      maxIhaveMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxIwantMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxIdontwantMessageIDs: limits.MAX_RPC_MESSAGE_IDS,
      maxControlMessages: limits.MAX_RPC_CONTROL,
      maxPeerInfos: 0,
    },
    scoreParams: {
      // Many nodes of one household share an address; the gater limits hosts.
      IPColocationFactorWeight: 0,
      retainScore: limits.SCORE_KEPT_MS,
      topics: Object.fromEntries(topics.map((topic) => [topic, topicScore])),
    },
  };
}

function textOf(bytes: Uint8Array = new Uint8Array()): string {
  return base64.encode(bytes);
}

const topicScore = {
  topicWeight: 1,
  timeInMeshWeight: 0.01,
  timeInMeshQuantum: 1000,
  timeInMeshCap: 100,
  firstMessageDeliveriesWeight: 0,
  firstMessageDeliveriesDecay: 0.5,
  firstMessageDeliveriesCap: 1,
  // A quiet swarm is no fault of the mesh.
  meshMessageDeliveriesWeight: 0,
  meshMessageDeliveriesDecay: 0.5,
  meshMessageDeliveriesCap: 1,
  meshMessageDeliveriesThreshold: 1,
  meshMessageDeliveriesWindow: 10,
  meshMessageDeliveriesActivation: 5000,
  meshFailurePenaltyWeight: 0,
  meshFailurePenaltyDecay: 0.5,
  // Squared: ten malformed or forged messages within a minute, and its gossip is no longer listened to.
  invalidMessageDeliveriesWeight: -1,
  invalidMessageDeliveriesDecay: 0.98,
};
