/** How many files peers offer, as the screen of the network counts them. Called by peers-screen. */
import { folderNameOf } from "../../spelling/folder-name.ts";
import type { NetworkFile, Peer } from "../state/entries.ts";

/** The same peers, the lists of folders not among their files: the node counts all that is announced. */
export function withoutLists<P extends Pick<Peer, "id" | "files_available">>(
  peers: readonly P[],
  network: readonly Pick<NetworkFile, "name" | "peers">[],
): P[] {
  const lists = network.filter(({ name }) => folderNameOf(name) !== undefined);
  return peers.map((peer) => {
    const own = lists.filter((list) => list.peers.includes(peer.id)).length;
    // The two were told at different moments.
    return { ...peer, files_available: Math.max(0, peer.files_available - own) };
  });
}
