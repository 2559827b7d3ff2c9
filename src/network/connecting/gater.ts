/**
 * Who may connect: no banned peer in either direction, and no host with more than its share of connections or of
 * unfinished handshakes; and no address is dialled that says more than where to, or leads through this node itself. Called by
 * libp2p at each step of a connection.
 */
import type { ConnectionGater, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { MAX_PENDING_PER_HOST, MAX_PENDING_PER_RELAY } from "../limits.ts";
import type { BannedPeers } from "./banned-peers.ts";
import { MAX_CONNECTIONS_PER_HOST } from "./limits.ts";
import { hostOf, isLookedUp, isThrough, namesHosts, originOf } from "./remote-address.ts";

export function createGater(banned: BannedPeers, ownId: string): ConnectionGater {
  const hosts = new InboundHosts();
  const isBanned = (peerId: PeerId) => banned.has(peerId.toString());
  return {
    denyDialPeer: isBanned,
    // In the browser build of libp2p also in place of its own, which refuses private addresses and plain WebSockets.
    // Who is relayed by this node tells it so; libp2p would note each such address as a new one of this node, and tell all peers.
    denyDialMultiaddr: (address) => !namesHosts(address) || isThrough(address, ownId),
    // Of what is told of peers.
    filterMultiaddrForPeer: (_peerId, address) => !isLookedUp(address),
    denyInboundConnection: (connection) => !hosts.admit(connection),
    denyInboundEncryptedConnection: isBanned,
    denyOutboundEncryptedConnection: isBanned,
    denyInboundUpgradedConnection: (_peerId, connection) => {
      hosts.finishHandshake(connection);
      return false;
    },
    denyInboundRelayReservation: isBanned,
    denyOutboundRelayedConnection: (source, destination) => isBanned(source) || isBanned(destination),
    denyInboundRelayedConnection: (_relay, remote) => isBanned(remote),
  };
}

interface Host {
  open: number;
  pending: number;
}

/** Counts inbound connections by whom they come from, which may be a relay. */
class InboundHosts {
  readonly #hosts = new Map<string, Host>();
  readonly #pending = new WeakSet<MultiaddrConnection>();

  admit(connection: MultiaddrConnection): boolean {
    const name = originOf(connection.remoteAddr);
    if (name === undefined) return true;
    const host = this.#hosts.get(name) ?? { open: 0, pending: 0 };
    const isRelay = hostOf(connection.remoteAddr) === undefined;
    const maxPending = isRelay ? MAX_PENDING_PER_RELAY : MAX_PENDING_PER_HOST;
    if (host.open >= MAX_CONNECTIONS_PER_HOST || host.pending >= maxPending) return false;
    host.open += 1;
    host.pending += 1;
    this.#hosts.set(name, host);
    this.#pending.add(connection);
    connection.addEventListener("close", () => this.#leave(name, host, connection), { once: true });
    return true;
  }

  finishHandshake(connection: MultiaddrConnection): void {
    const host = this.#hosts.get(originOf(connection.remoteAddr) ?? "");
    if (host !== undefined && this.#pending.delete(connection)) host.pending -= 1;
  }

  #leave(name: string, host: Host, connection: MultiaddrConnection): void {
    host.open -= 1;
    if (this.#pending.delete(connection)) host.pending -= 1;
    if (host.open === 0) this.#hosts.delete(name);
  }
}
