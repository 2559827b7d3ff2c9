/**
 * Where peers are, noted as often as that is news: each provider record names it anew, and libp2p's peer store reads and
 * compares all that it knows of the peer, behind a lock, which was most of what a record cost whoever took it. Called by
 * libp2p-node, before the DHT starts.
 */
import type { PeerId, PeerStore } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import type { Multiaddr } from "@multiformats/multiaddr";
import { forgetOldest } from "../../sharing/forget-oldest.ts";
import type { Clock } from "../../sharing/ports.ts";
import { MAX_CONNECTIONS } from "../limits.ts";
import { ADDRESSES_NOTED_MS, MAX_NOTED_CHARS } from "./limits.ts";

/** What the library's types don't show of its DHT. */
interface Parts {
  rpc: { handlers: { ADD_PROVIDER: { peerStore: Pick<PeerStore, "merge"> } } };
}

type Told = { multiaddrs: Multiaddr[] };

export function noteOnce(dht: KadDHT, peerStore: PeerStore, clock: Pick<Clock, "monotonic">): void {
  const { rpc } = dht as unknown as Parts;
  /** By peer, who was noted longest ago first. */
  const noted = new Map<string, { atMs: number; addresses: Set<string> }>();
  const isNews = (peer: string, addresses: string[]) => {
    const known = noted.get(peer);
    if (known === undefined || clock.monotonic() - known.atMs >= ADDRESSES_NOTED_MS) return true;
    return !addresses.every((address) => known.addresses.has(address));
  };
  const merge = async (peerId: PeerId, told: Told) => {
    const peer = peerId.toString();
    const addresses = told.multiaddrs.map(String);
    if (!isNews(peer, addresses)) return;
    noted.delete(peer);
    if (addresses.join().length <= MAX_NOTED_CHARS)
      noted.set(peer, { atMs: clock.monotonic(), addresses: new Set(addresses) });
    forgetOldest(noted, MAX_CONNECTIONS);
    try {
      await peerStore.merge(peerId, told);
    } catch (error) {
      noted.delete(peer);
      throw error;
    }
  };
  rpc.handlers.ADD_PROVIDER.peerStore = Object.create(peerStore, { merge: { value: merge } });
}
