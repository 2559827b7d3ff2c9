/** What a peer is called; which one it is, is told by its id to who points at it. Called by the screens that name peers. */
import { calledName } from "../../client/called-name.ts";
import type { Peer } from "../state/entries.ts";

export function PeerName({ id, name }: Pick<Peer, "id" | "name">) {
  return (
    <bdi class="peer-name" title={id}>
      {calledName({ id, name })}
    </bdi>
  );
}
