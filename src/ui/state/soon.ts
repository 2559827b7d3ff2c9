/**
 * Loads lists anew because of events: at once for the first, and once more after a while for all that came meanwhile. A
 * folder of small files brings dozens of events a second, and each list costs the node and the page its whole length.
 * Called by app-state.
 */
import { LISTS_REST_MS } from "../limits.ts";

interface List {
  refresh(): Promise<void>;
}

/** A list that can't be had now is had when the node is met again, which the phase tells of. */
export function createSoon(): (...lists: readonly List[]) => void {
  /** Lists that rest, and whether they were asked for meanwhile. */
  const resting = new Map<List, boolean>();

  function soon(...lists: readonly List[]): void {
    for (const list of lists) {
      if (resting.has(list)) {
        resting.set(list, true);
        continue;
      }
      resting.set(list, false);
      list.refresh().catch(() => undefined);
      setTimeout(() => {
        const isAsked = resting.get(list);
        resting.delete(list);
        if (isAsked) soon(list);
      }, LISTS_REST_MS);
    }
  }
  return soon;
}
