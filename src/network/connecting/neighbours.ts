/**
 * Dials who says on the local network where it is, each time until it is connected. libp2p itself tells of peers that
 * it hears of for the first time only, and remembers them over restarts: a neighbour that could not be reached once, or
 * was away for an hour, was not met again. And it tells of whomever an answer of the DHT names: one peer had all places
 * for dials. Made by openNetwork.
 */
import type { PeerInfo } from "@libp2p/interface";
import type { Libp2pInit } from "libp2p";
import type { Libp2pNode } from "../libp2p-node.ts";
import { WELL_CONNECTED_PEERS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import type { BannedPeers } from "./banned-peers.ts";
import { MAX_NEIGHBOURS_DIALLED } from "./limits.ts";
import { isLookedUp } from "./remote-address.ts";

type DiscoveryFactory = NonNullable<Libp2pInit["peerDiscovery"]>[number];

export interface NeighboursPorts {
  node: Libp2pNode;
  banned: BannedPeers;
  /** Of the network. */
  signal: AbortSignal;
  log: NetworkLog;
}

/** The discovery, whose news `found` hears, too. */
export function overheard(create: DiscoveryFactory, found: (peer: PeerInfo) => void): DiscoveryFactory {
  return (components) => {
    const discovery = create(components);
    discovery.addEventListener("peer", ({ detail }) => found(detail));
    return discovery;
  };
}

export class Neighbours {
  readonly #ports: NeighboursPorts;
  /** Being dialled, by peer id. */
  readonly #dialled = new Set<string>();

  constructor(ports: NeighboursPorts) {
    this.#ports = ports;
  }

  /** A peer says where it is. */
  async meet({ id, multiaddrs }: PeerInfo): Promise<void> {
    const { node, banned, signal, log } = this.#ports;
    const peerId = id.toString();
    if (node.peerId.equals(id) || node.getConnections(id).length > 0 || banned.has(peerId)) return;
    if (node.getPeers().length >= WELL_CONNECTED_PEERS || signal.aborted) return;
    if (this.#dialled.has(peerId) || this.#dialled.size >= MAX_NEIGHBOURS_DIALLED) return;
    const addresses = multiaddrs.filter((address) => !isLookedUp(address));
    this.#dialled.add(peerId);
    try {
      await node.dial(
        addresses.map((address) => address.encapsulate(`/p2p/${peerId}`)),
        { signal },
      );
    } catch (error) {
      if (!signal.aborted) log("neighbour not reached", { peer: peerId, error });
    } finally {
      this.#dialled.delete(peerId);
    }
  }
}
