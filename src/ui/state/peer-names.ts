/**
 * What the connected peers say that they are called, by their ids. They are asked for every other second, and what is drawn with
 * their names only where one has changed. Called by app-state.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { Peer } from "./entries.ts";

export type PeerNames = ReadonlyMap<string, string>;

export function namesOfPeers(
  peers: ReadonlySignal<readonly Pick<Peer, "id" | "name">[] | undefined>,
): ReadonlySignal<PeerNames> {
  let known: PeerNames = new Map();
  return computed(() => {
    const now = new Map(
      (peers.value ?? []).flatMap(({ id, name }): [string, string][] => (name === null ? [] : [[id, name]])),
    );
    const isSame = now.size === known.size && [...now].every(([id, name]) => known.get(id) === name);
    if (!isSame) known = now;
    return known;
  });
}
