/**
 * A list's new answer with the entries of the former one that it tells nothing new of, and the former list itself where all of it
 * is as it was: signals then draw no row anew whose entry is the same. Called by app-state for lists of thousands.
 */
export function keptEntries<E extends { id: string }>(
  before: readonly E[] | undefined,
  now: readonly E[],
): readonly E[] {
  if (before === undefined) return now;
  const known = new Map(before.map((entry) => [entry.id, entry]));
  const kept = now.map((entry) => {
    const former = known.get(entry.id);
    // As they came in the node's answers.
    return former !== undefined && JSON.stringify(former) === JSON.stringify(entry) ? former : entry;
  });
  const isSame = kept.length === before.length && kept.every((entry, at) => entry === before[at]);
  return isSame ? before : kept;
}
