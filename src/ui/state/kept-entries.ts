/**
 * A list's new answer with the entries of the former one that it tells nothing new of, and the former list itself where all of it
 * is as it was: signals then draw no row anew whose entry is the same. Called by lists for those of thousands.
 */
import { isSameJson } from "./same-json.ts";

export function keptEntries<E extends { id: string }>(
  before: readonly E[] | undefined,
  now: readonly E[],
): readonly E[] {
  if (before === undefined) return now;
  const known = new Map(before.map((entry) => [entry.id, entry]));
  const kept = now.map((entry) => {
    const former = known.get(entry.id);
    return former !== undefined && isSameJson(former, entry) ? former : entry;
  });
  const isSame = kept.length === before.length && kept.every((entry, at) => entry === before[at]);
  return isSame ? before : kept;
}
