/**
 * Has the DHT tell of those holders of a file of whom it is known where they are. The library's whole answer fails for one who is not in
 * the peer store any more, which forgets whoever was used the longest ago, while the record lasts for hours. Called by libp2p-node,
 * before the DHT starts.
 */
import type { Peer, PeerId, PeerStore } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";

/** What it reads of a peer. Who has no address is left out of the answer. */
type Place = Pick<Peer, "id" | "addresses">;

/** What the library's types don't show of its DHT. */
interface Parts {
  rpc: { handlers: { GET_PROVIDERS: { peerStore: { get(peerId: PeerId): Promise<Place> } } } };
}

export function tellOfKnown(dht: KadDHT, peerStore: PeerStore): void {
  (dht as unknown as Parts).rpc.handlers.GET_PROVIDERS.peerStore = {
    get: (peerId) =>
      peerStore.get(peerId).catch((error: Error) => {
        if (error.name !== "NotFoundError") throw error;
        return { id: peerId, addresses: [] };
      }),
  };
}
