/**
 * What peers say that they are called, by their ids; those that have gone keep their names, for what came from them is
 * still told of. They are asked for every other second, and what is drawn with their names only where one has changed.
 * Called by app-state.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import { MAX_GONE_NAMES } from "../limits.ts";
import type { Peer } from "./entries.ts";

export type PeerNames = ReadonlyMap<string, string>;

/** Follows who comes and goes while no screen shows it, too. Lives until `stop` aborts. */
export function namesOfPeers(
  peers: ReadonlySignal<readonly Pick<Peer, "id" | "name">[] | undefined>,
  stop: AbortSignal,
): ReadonlySignal<PeerNames> {
  let known: PeerNames = new Map();
  const names = computed(() => {
    const connected = peers.value ?? [];
    const ids = new Set(connected.map(({ id }) => id));
    const now = new Map([
      ...[...known].filter(([id]) => !ids.has(id)).slice(-MAX_GONE_NAMES),
      ...connected.flatMap(({ id, name }): [string, string][] => (name === null ? [] : [[id, name]])),
    ]);
    const isSame = now.size === known.size && [...now].every(([id, name]) => known.get(id) === name);
    if (!isSame) known = now;
    return known;
  });
  stop.addEventListener(
    "abort",
    names.subscribe(() => {}),
  );
  return names;
}
