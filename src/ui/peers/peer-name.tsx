/** What a peer is called; which one it is, is told by its id to who points at it. Called by the screens that name peers. */
import type { Peer } from "../state/entries.ts";
import { peerName } from "./peer-words.ts";

export function PeerName({ id, name }: Pick<Peer, "id" | "name">) {
  return (
    <bdi class="peer-name" title={id}>
      {peerName({ id, name })}
    </bdi>
  );
}
