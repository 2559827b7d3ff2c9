/**
 * The peers this node is connected to, as the port describes them: address, transport, since when, round trip.
 * Made by the swarm; reads libp2p's connections and measures the first round trip right after connecting (libp2p
 * goes on measuring by itself).
 */
import { RELAY_V2_HOP_CODEC } from "@libp2p/circuit-relay-v2";
import type { Connection, PeerId } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { ConnectedPeer, SwarmEvent } from "../../sharing/ports.ts";
import { isRelayed } from "../announcing/author-addresses.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { PING_TIMEOUT_MS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import { answer } from "./answer.ts";
import { chosenCandidate, HIDDEN_HOST, measuredCandidate } from "./chosen-candidate.ts";
import { CHECK_PING_TIMEOUT_MS, REBORN_PING_TIMEOUT_MS, SILENT_PING_TIMEOUT_MS } from "./limits.ts";
import { hostPortOf, joinHostPort, originOf, transportOf } from "./remote-address.ts";

export interface ConnectedPeersPorts {
  node: Libp2pNode;
  /** What the peer is called, if it has told that. */
  nameOf(peerId: string): string | undefined;
  fileCount(peerId: string): number;
  /** Whether the peer follows what is said in this node's swarm, or has said itself what it offers there. */
  isInSwarm(peerId: string): boolean;
  /** Addresses the peer tells of itself. */
  addresses(peerId: string): Multiaddr[];
  emit(event: SwarmEvent): void;
  log: NetworkLog;
}

export class ConnectedPeers {
  readonly #ports: ConnectedPeersPorts;
  readonly #connected = new Set<string>();
  /** Milliseconds, of peers connected now. */
  readonly #firstLatency = new Map<string, number>();
  /** host:port of the other end of WebRTC connections, where it has to be measured. */
  readonly #measured = new WeakMap<Connection, string>();
  /** Those among the peers connected now that relay for others. */
  readonly #relays = new Set<string>();
  /** Peers whose connections are being checked, each for at most REBORN_PING_TIMEOUT_MS. */
  readonly #checked = new Set<string>();
  /** The same for at most SILENT_PING_TIMEOUT_MS. */
  readonly #doubted = new Set<string>();

  constructor(ports: ConnectedPeersPorts) {
    this.#ports = ports;
    const { node } = ports;
    node.addEventListener("connection:open", ({ detail }) => {
      void this.#measureAddress(detail);
      // Who is connected does not dial, unless both did at once, or the peer was started anew and knows of no connection.
      void this.#checkDirect(detail.remotePeer, detail);
    });
    node.addEventListener("peer:connect", ({ detail }) => this.#onConnect(detail));
    node.addEventListener("peer:disconnect", ({ detail }) => this.#onDisconnect(detail));
  }

  /** Watches for relays. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    await this.#ports.node.register(RELAY_V2_HOP_CODEC, {
      onConnect: (peerId) => {
        if (this.#ports.node.getConnections(peerId).length > 0) this.#relays.add(peerId.toString());
      },
    });
  }

  list(): ConnectedPeer[] {
    return this.#ports.node.getPeers().flatMap((peerId) => this.get(peerId) ?? []);
  }

  isConnected(peerId: string): boolean {
    return this.#connected.has(peerId);
  }

  get(peerId: PeerId): ConnectedPeer | undefined {
    const connections = this.#ports.node.getConnections(peerId).filter(({ status }) => status === "open");
    const best = bestConnection(connections);
    if (best === undefined) return undefined;
    const id = peerId.toString();
    return {
      peerId: id,
      name: this.#ports.nameOf(id),
      address: this.#address(best, connections),
      transport: transportOf(best.remoteAddr),
      connectedSince: new Date(Math.min(...connections.map(({ timeline }) => timeline.open))),
      latencyMs: best.rtt ?? this.#firstLatency.get(id),
      filesAvailable: this.#ports.fileCount(id),
      isRelay: this.#relays.has(id),
      isInSwarm: this.#ports.isInSwarm(id),
    };
  }

  /** Ends connections on which nobody answers: after a sleep, many are dead. */
  async check(): Promise<void> {
    await this.#checkAll(this.#ports.node.getConnections(), CHECK_PING_TIMEOUT_MS);
  }

  /** The same of a peer that is awake and was perhaps started anew. Once at a time. */
  async checkReborn(peerId: string): Promise<void> {
    await this.#checkDirect(peerIdFromString(peerId));
  }

  /** The same of a peer that owes an answer: a line may be dead at both ends of which nobody was told. Once at a time. */
  async checkSilent(peerId: string): Promise<void> {
    const connections = this.#ports.node.getConnections(peerIdFromString(peerId));
    await this.#checkOnce(this.#doubted, peerId, connections, SILENT_PING_TIMEOUT_MS);
  }

  async #checkDirect(peerId: PeerId, newest?: Connection): Promise<void> {
    const older = this.#ports.node.getConnections(peerId).filter((it) => it.direct && it !== newest);
    await this.#checkOnce(this.#checked, peerId.toString(), older, REBORN_PING_TIMEOUT_MS);
  }

  async #checkOnce(checked: Set<string>, id: string, connections: Connection[], timeoutMs: number) {
    if (connections.length === 0 || checked.has(id)) return;
    checked.add(id);
    await this.#checkAll(connections, timeoutMs);
    checked.delete(id);
  }

  async #checkAll(connections: Connection[], timeoutMs: number): Promise<void> {
    await Promise.all(
      connections.map(async (connection) => {
        try {
          await answer(connection, AbortSignal.timeout(timeoutMs));
        } catch (error) {
          const peer = connection.remotePeer.toString();
          this.#ports.log("no answer", { peer, address: connection.remoteAddr.toString(), error });
          connection.abort(new Error("no answer"));
        }
      }),
    );
  }

  #address(best: Connection, connections: Connection[]): string {
    const known = [best, ...connections].map(({ remoteAddr }) => remoteAddr);
    const told = this.#ports.addresses(best.remotePeer.toString());
    if (transportOf(best.remoteAddr) === "webrtc") return this.#webRtcAddress(best, [...told, ...known]);
    return firstHostPort([...known, ...told]) ?? "0.0.0.0:0";
  }

  /** The chosen candidate's; where that is hidden, the best known of the peer, but not the relay's by which the two met. */
  #webRtcAddress(connection: Connection, known: Multiaddr[]): string {
    return (
      chosenCandidate(connection) ??
      this.#measured.get(connection) ??
      firstHostPort(known.filter((address) => !isRelayed(address))) ??
      joinHostPort(HIDDEN_HOST, 0)
    );
  }

  #onConnect(peerId: PeerId): void {
    this.#connected.add(peerId.toString());
    const peer = this.get(peerId);
    if (peer === undefined) return;
    this.#ports.emit({ type: "peer_connected", peer });
    void this.#measure(peerId);
  }

  #onDisconnect(peerId: PeerId): void {
    this.#connected.delete(peerId.toString());
    this.#firstLatency.delete(peerId.toString());
    this.#relays.delete(peerId.toString());
    this.#ports.emit({ type: "peer_disconnected", peerId: peerId.toString() });
  }

  async #measureAddress(connection: Connection): Promise<void> {
    if (transportOf(connection.remoteAddr) !== "webrtc" || chosenCandidate(connection) !== undefined) return;
    try {
      const address = await measuredCandidate(connection);
      if (address !== undefined) this.#measured.set(connection, address);
    } catch (error) {
      this.#ports.log("no address in the statistics", { peer: connection.remotePeer.toString(), error });
    }
  }

  async #measure(peerId: PeerId): Promise<void> {
    const { node, log } = this.#ports;
    try {
      const latencyMs = await node.services.ping.ping(peerId, {
        signal: AbortSignal.timeout(PING_TIMEOUT_MS),
      });
      if (node.getConnections(peerId).length > 0) this.#firstLatency.set(peerId.toString(), latencyMs);
    } catch (error) {
      log("ping failed", { peer: peerId.toString(), error });
    }
  }
}

function firstHostPort(addresses: Multiaddr[]): string | undefined {
  return addresses.map(hostPortOf).find((text) => text !== undefined);
}

/** Of the best connection to the peer; undefined when it is not connected. */
export function remoteAddressOf(
  node: Pick<Libp2pNode, "getConnections">,
  peerId: string,
): Multiaddr | undefined {
  return bestConnection(node.getConnections(peerIdFromString(peerId)))?.remoteAddr;
}

/** From where the peer came, or through which relay; undefined when it is not connected. */
export function originOfPeer(node: Pick<Libp2pNode, "getConnections">, peerId: string): string | undefined {
  const address = remoteAddressOf(node, peerId);
  return address && originOf(address);
}

/** A direct one if there is one, else through a relay; the oldest of equals. */
export function bestConnection(connections: Connection[]): Connection | undefined {
  return connections
    .filter(({ status }) => status === "open")
    .sort((a, b) => Number(b.direct) - Number(a.direct) || a.timeline.open - b.timeline.open)[0];
}
