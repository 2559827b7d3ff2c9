/**
 * The network: a libp2p node joined with announcements, catalogues, provider records, bans and bootstrap, seen
 * through the Swarm port. Made by the two mains; the exchange opens and handles its streams here. It knows no
 * runtime: transports, discovery and datastore are handed in.
 */
import { type PrivateKey, type Stream, setMaxListeners } from "@libp2p/interface";
import type { ICryptoInterface } from "@libp2p/noise";
import { peerIdFromPrivateKey, peerIdFromString } from "@libp2p/peer-id";
import type { Libp2pInit } from "libp2p";
import type { Clock, Swarm, Transport } from "../sharing/ports.ts";
import { checkSwarmName } from "../sharing/swarm-name.ts";
import { BannedPeers } from "./connecting/banned-peers.ts";
import { type BootstrapPorts, keepConnected, parseBootstrap } from "./connecting/bootstrap.ts";
import { originOfPeer, remoteAddressOf } from "./connecting/connected-peers.ts";
import { createGater } from "./connecting/gater.ts";
import { Neighbours, overheard } from "./connecting/neighbours.ts";
import { answerPings } from "./connecting/ping-answers.ts";
import { type HostPort, transportOf } from "./connecting/remote-address.ts";
import { watchSleeps } from "./connecting/sleeps.ts";
import { tcpSocketOf } from "./connecting/tcp-socket.ts";
import { inWholeMessages } from "./libp2p/whole-messages.ts";
import { createLibp2pNode, type KeychainFactory } from "./libp2p-node.ts";
import { MAX_ENDINGS, MAX_INBOUND_STREAMS_PER_PROTOCOL } from "./limits.ts";
import type { NetworkLog } from "./network-log.ts";
import { RendezvousPoint } from "./relay/rendezvous-point.ts";
import { LiveSwarm } from "./swarm.ts";

type TransportFactory = NonNullable<Libp2pInit["transports"]>[number];
type DiscoveryFactory = NonNullable<Libp2pInit["peerDiscovery"]>[number];

export interface NetworkOptions {
  privateKey: PrivateKey;
  transports: TransportFactory[];
  /** Ways to encrypt that are tried before noise. */
  encrypters?: NonNullable<Libp2pInit["connectionEncrypters"]>;
  /** Ciphers and hashes of noise, where the runtime has better ones than the library. */
  noiseCrypto?: ICryptoInterface;
  /** Multiaddrs to listen on. */
  listen: string[];
  /** Multiaddrs that are kept connected. */
  bootstrap: string[];
  swarmName: string;
  /** Lets others be reached through this node, and those of a swarm find each other there. */
  relayServer: boolean;
  /** Finds peers on the local network. */
  mdns?: DiscoveryFactory;
  /** Keeps known peers, and what the keychain holds; none: in memory. */
  datastore?: NonNullable<Libp2pInit["datastore"]>;
  /** Keeps the certificate of WebRTC-direct, for who listens there, so that its addresses outlive a restart. */
  keychain?: KeychainFactory;
  /** A server keeps records for others and answers them; a page can't be one. */
  dhtMode: "server" | "client";
  clock: Clock;
  /** Program name and version, told to peers. */
  agentVersion: string;
  log?: NetworkLog;
  onBootstrapTurn?: BootstrapPorts["onTurn"];
}

export interface Network {
  readonly swarm: Swarm;
  /** @throws SharingError `peer_unreachable`; the signal's reason */
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
  handle(protocol: string, handler: (stream: Stream, peerId: string) => void): Promise<void>;
  /**
   * Pings a peer that owes an answer and is silent, and ends its connections where none comes: a router may have
   * forgotten them.
   */
  doubt(peerId: string): void;
  /** How the peer is connected; undefined when it is not. */
  transportOf(peerId: string): Transport | undefined;
  /** From where the peer came, or through which relay; undefined when it is not connected. */
  originOf(peerId: string): string | undefined;
  /** Where the peer takes TCP connections, on the host by which it is connected now; undefined where that is not known. */
  tcpSocketOf(peerId: string): Promise<HostPort | undefined>;
  /**
   * Pings every peer, and ends connections without an answer: in another network, many are dead. Bootstrap addresses that are
   * not connected are dialled at once. Done by itself after a sleep.
   */
  checkConnections(): Promise<void>;
  /** Says goodbye and closes everything; a second call gives the same promise. */
  stop(): Promise<void>;
}

/** @throws SharingError `bad_request` for a wrong swarm name or bootstrap address; libp2p's error when it can't listen */
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { clock, log = () => undefined } = options;
  const swarmName = checkSwarmName(options.swarmName);
  const bootstrap = parseBootstrap(options.bootstrap);
  const banned = new BannedPeers(clock);
  const node = await createLibp2pNode({
    privateKey: options.privateKey,
    transports: options.transports,
    encrypters: options.encrypters ?? [],
    noiseCrypto: options.noiseCrypto,
    listen: options.listen,
    discovery: options.mdns === undefined ? [] : [overheard(options.mdns, (peer) => neighbours.meet(peer))],
    datastore: options.datastore,
    keychain: options.keychain,
    gater: createGater(banned, peerIdFromPrivateKey(options.privateKey).toString()),
    swarmName,
    relayServer: options.relayServer,
    agentVersion: options.agentVersion,
    log,
  });
  const stopping = new AbortController();
  // Every loop and dial of the network ends with it; Node.js takes more than ten for a leak.
  setMaxListeners(MAX_ENDINGS, stopping.signal);
  const neighbours = new Neighbours({ node, banned, signal: stopping.signal, log });
  const swarm = new LiveSwarm({ node, name: swarmName, banned, clock, log });
  await node.services.dht.setMode(options.dhtMode);
  await swarm.listen();
  if (options.relayServer) await new RendezvousPoint({ node, swarm: swarmName, clock, log }).listen();
  await node.start();
  await answerPings(node);
  const kept = keepConnected(node, bootstrap, {
    clock,
    signal: stopping.signal,
    log,
    onTurn: options.onBootstrapTurn,
  });
  const checkConnections = () => {
    kept.dialNow();
    return swarm.checkConnections();
  };
  const background = Promise.all([
    swarm.run(stopping.signal),
    kept.ended,
    // Not waited for: the end would wait for pings without an answer.
    watchSleeps(clock, () => void checkConnections(), stopping.signal),
  ]).catch((error) => log("network loop ended", { error }));

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await swarm.sayGoodbye();
    await background;
    await node.stop();
  };

  return {
    swarm,
    openStream: async (peerId, protocol, signal) =>
      inWholeMessages(await swarm.dialer.openStream(peerId, protocol, signal)),
    handle: (protocol, handler) =>
      node.handle(
        protocol,
        (stream, connection) => handler(inWholeMessages(stream), connection.remotePeer.toString()),
        { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
      ),
    doubt: (peerId) => swarm.doubt(peerId),
    transportOf: (peerId) => {
      const address = remoteAddressOf(node, peerId);
      return address && transportOf(address);
    },
    originOf: (peerId) => originOfPeer(node, peerId),
    tcpSocketOf: (peerId) => tcpSocketOf(node, peerIdFromString(peerId)),
    checkConnections,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
