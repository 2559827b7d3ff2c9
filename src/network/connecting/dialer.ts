/**
 * Connections and streams to peers by id: an open direct connection if there is one, else a dial by every address
 * known, direct ones first. Called by the network (streams of the exchange) and the swarm (all others).
 */
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import type { Clock } from "../../sharing/ports.ts";
import { isRelayed } from "../announcing/author-addresses.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_AUTHORS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import { bestConnection } from "./connected-peers.ts";
import { parseAddress } from "./given-address.ts";
import { keptAddresses, withPeerId } from "./kept-addresses.ts";
import {
  DIRECT_RETRY_MS,
  DIRECT_TRY_MS,
  LOOKUP_TIMEOUT_MS,
  MEETING_PATIENCE_MS,
  OPENING_DOUBT_MS,
} from "./limits.ts";
import { untilConnected } from "./meeting.ts";

export interface DialerPorts {
  node: Libp2pNode;
  clock: Clock;
  /** Addresses the peer tells of itself, beyond those libp2p keeps. */
  addresses(peerId: string): Multiaddr[];
  /** A stream is opened to a peer that is silent: the connection may be dead. */
  onSilence(peerId: string): void;
  log: NetworkLog;
}

export class Dialer {
  readonly #ports: DialerPorts;
  /** When a direct way to a peer that is reached through a relay was last tried. */
  readonly #directTriedMs = new Map<string, number>();

  constructor(ports: DialerPorts) {
    this.#ports = ports;
  }

  /** @throws SharingError `peer_unreachable`; the signal's reason */
  async openStream(
    peerId: string,
    protocol: string,
    signal: AbortSignal,
    addresses: Multiaddr[] = [],
  ): Promise<Stream> {
    try {
      const connection = await this.#connection(peerId, addresses, signal);
      return await this.#answered(
        peerId,
        connection.newStream(protocol, { signal, runOnLimitedConnection: true }),
      );
    } catch (error) {
      throw this.#unreachable(peerId, error, signal);
    }
  }

  /** Dials an address as a user gave it. @throws SharingError `peer_unreachable`, `bad_request`; the signal's reason */
  async dial(address: string, signal: AbortSignal): Promise<Connection> {
    const target = parseAddress(address);
    try {
      return await this.#ports.node.dial(target, { signal });
    } catch (error) {
      const name = error instanceof Error ? error.name : "";
      if (name === "NoValidAddressesError" || name === "InvalidMultiaddrError") {
        throw new SharingError("bad_request", `no transport for the address ${address}`, { cause: error });
      }
      if (name === "InvalidPeerIdError" || /dial self/i.test(String(error))) {
        throw new SharingError("bad_request", "that is this node itself", { cause: error });
      }
      throw this.#unreachable(address, error, signal);
    }
  }

  /** Whoever is there says in a round trip whether it speaks the protocol. */
  async #answered(peerId: string, opening: Promise<Stream>): Promise<Stream> {
    const { clock, onSilence } = this.#ports;
    const answered = new AbortController();
    // The sleep rejects only once the stream is open, or was given up.
    clock.sleep(OPENING_DOUBT_MS, answered.signal).then(
      () => onSilence(peerId),
      () => undefined,
    );
    return await opening.finally(() => answered.abort());
  }

  async #connection(peerId: string, addresses: Multiaddr[], signal: AbortSignal): Promise<Connection> {
    const existing = bestConnection(this.#ports.node.getConnections(peerIdFromString(peerId)));
    if (existing?.direct) return existing;
    if (existing !== undefined) return await this.#preferDirect(existing, addresses, signal);
    return await this.#dialPeer(peerId, addresses, signal);
  }

  /**
   * Through a relay every byte costs somebody else; now and then a direct way is tried first, and whoever asks while
   * somebody tries waits for it as well: what is opened on the relayed connection stays there.
   */
  async #preferDirect(relayed: Connection, more: Multiaddr[], signal: AbortSignal): Promise<Connection> {
    const { node, clock, log } = this.#ports;
    const peerId = relayed.remotePeer.toString();
    const told = [...more, ...this.#ports.addresses(peerId)];
    const known = told.length > 0 ? told : await keptAddresses(node, relayed.remotePeer);
    const direct = known.filter(isDirectWay);
    const isUnderWay = node.getDialQueue().some((dial) => dial.peerId?.equals(relayed.remotePeer));
    const nowMs = clock.monotonic();
    const triedMs = this.#directTriedMs.get(peerId) ?? Number.NEGATIVE_INFINITY;
    if (direct.length === 0 || (!isUnderWay && nowMs - triedMs < DIRECT_RETRY_MS)) return relayed;
    const dialled = isUnderWay ? undefined : await this.#dialOfOther(relayed, signal);
    if (dialled !== undefined) return dialled;
    if (this.#directTriedMs.size >= MAX_AUTHORS) this.#directTriedMs.clear();
    this.#directTriedMs.set(peerId, nowMs);
    try {
      return await node.dial(direct, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(DIRECT_TRY_MS)]),
      });
    } catch (error) {
      signal.throwIfAborted();
      log("no direct way", { peer: peerId, error });
      return relayed;
    }
  }

  /** Whoever has just come through a relay is trying for a direct way itself: what comes of that, if it comes in time. */
  async #dialOfOther(relayed: Connection, signal: AbortSignal): Promise<Connection | undefined> {
    const { node, clock } = this.#ports;
    const leftMs = relayed.timeline.open + MEETING_PATIENCE_MS - clock.now();
    if (relayed.direction !== "inbound" || leftMs <= 0) return undefined;
    const patienceMs = Math.min(leftMs, MEETING_PATIENCE_MS);
    const dialled = await untilConnected(node, relayed.remotePeer, ({ direct }) => direct, {
      signal,
      patienceMs,
    });
    signal.throwIfAborted();
    return dialled;
  }

  async #dialPeer(peerId: string, more: Multiaddr[], signal: AbortSignal): Promise<Connection> {
    const { node } = this.#ports;
    const id = peerIdFromString(peerId);
    const told = [...more, ...this.#ports.addresses(peerId)];
    if (told.length === 0) return await node.dial(await this.#lookUp(id, signal), { signal });
    try {
      return await node.dial(told, { signal });
    } catch (error) {
      signal.throwIfAborted();
      // What the author tells may be old; libp2p may have learnt others.
      const kept = await keptAddresses(node, id);
      if (kept.length === 0) throw error;
      return await node.dial(kept, { signal });
    }
  }

  /** libp2p by itself would look for as long as it may dial. */
  async #lookUp(id: PeerId, signal: AbortSignal): Promise<Multiaddr[]> {
    const { node } = this.#ports;
    const kept = await keptAddresses(node, id);
    if (kept.length > 0) return kept;
    const found = await node.peerRouting.findPeer(id, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)]),
    });
    return found.multiaddrs.map((address) => withPeerId(address, id));
  }

  #unreachable(who: string, error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    // A browser's WebSocket fails with an event, which says nothing.
    const why = error instanceof Error ? error.message : "nobody answers there";
    return new SharingError("peer_unreachable", `can't reach ${who}: ${why}`, { cause: error });
  }
}

function isDirectWay(address: Multiaddr): boolean {
  return !isRelayed(address) || address.getComponents().some(({ name }) => name === "webrtc");
}

/** Whether openStream threw it of a peer that was reached, and has no such protocol. */
export function lacksProtocol(error: unknown): boolean {
  const cause = isSharingError(error, "peer_unreachable") ? error.cause : error;
  return cause instanceof Error && cause.name === "UnsupportedProtocolError";
}
