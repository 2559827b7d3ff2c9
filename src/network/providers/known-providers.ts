/**
 * Where the DHT's answers have it from, where peers are. Of holders of a file it tells those of whom that is known: the
 * library's whole answer fails for one who is not in the peer store any more, which forgets whoever was used the
 * longest ago, while the record lasts for hours. And it waits for nobody who writes in the peer store: the library's
 * lock of each entry took more than half of the time of an answer, which names dozens of peers. Called by libp2p-node,
 * before the DHT starts.
 */
import type { Peer, PeerId, PeerStore } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";

/** What it reads of a holder. Who has no address is left out of the answer. */
type Place = Pick<Peer, "id" | "addresses">;

/** What the library's types don't show of its DHT. */
interface Parts {
  rpc: { handlers: { GET_PROVIDERS: { peerStore: { get(peerId: PeerId): Promise<Place> } } } };
  peerRouting: { components: object };
}

/** And of its peer store: an entry is written in one piece, so that it can be read at any time. */
interface Unlocked {
  store: { load(peerId: PeerId): Promise<Peer> };
}

export function tellOfKnown(dht: KadDHT, peerStore: PeerStore): void {
  const { rpc, peerRouting } = dht as unknown as Parts;
  const { store } = peerStore as unknown as Unlocked;
  const get = (peerId: PeerId) => store.load(peerId);
  const getInfo = async (peerId: PeerId) => {
    const { id, addresses } = await get(peerId);
    return { id, multiaddrs: addresses.map(({ multiaddr }) => multiaddr) };
  };
  rpc.handlers.GET_PROVIDERS.peerStore = {
    get: (peerId) =>
      get(peerId).catch((error: Error) => {
        if (error.name !== "NotFoundError") throw error;
        return { id: peerId, addresses: [] };
      }),
  };
  const unlocked: PeerStore = Object.create(peerStore, { get: { value: get }, getInfo: { value: getInfo } });
  peerRouting.components = Object.create(peerRouting.components, { peerStore: { value: unlocked } });
}
