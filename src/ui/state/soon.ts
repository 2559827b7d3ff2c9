/**
 * Loads lists anew because of events: at once for the first, and once more after a while for all that came meanwhile. A
 * folder of small files brings dozens of events a second, and each list costs the node and the page its whole length: a long
 * one rests the longer. Called by list-news.
 */
import { LISTS_REST_MS, MAX_LISTS_REST_MS, RESTS_A_LOAD } from "../limits.ts";

interface List {
  refresh(): Promise<void>;
}

/** A list that can't be had now is had when the node is met again, which the phase tells of. */
export function createSoon(): (...lists: readonly List[]) => void {
  /** Lists that are loaded or rest, and whether they were asked for meanwhile. */
  const resting = new Map<List, boolean>();

  function soon(...lists: readonly List[]): void {
    for (const list of lists) {
      const isResting = resting.has(list);
      resting.set(list, isResting);
      if (!isResting) void load(list);
    }
  }

  async function load(list: List): Promise<void> {
    const startedMs = performance.now();
    await list.refresh().catch(() => undefined);
    const restMs = RESTS_A_LOAD * (performance.now() - startedMs);
    setTimeout(
      () => {
        const isAsked = resting.get(list);
        resting.delete(list);
        if (isAsked) soon(list);
      },
      Math.min(Math.max(LISTS_REST_MS, restMs), MAX_LISTS_REST_MS),
    );
  }
  return soon;
}
