/** When the node would find other files than before, though the words are the same. Pure; called by use-news. */

/** What the node tells of its index of files. */
export interface ReadingStatus {
  state: string;
  indexed: number;
  pending: number;
}

/**
 * What was found stands still while more is read, for somebody may be about to choose; once all is read it is looked
 * for anew.
 */
export function isNews(before: ReadingStatus, now: ReadingStatus, isNothing: boolean): boolean {
  if (before.state !== now.state) return true;
  if (before.pending > 0 && now.pending === 0) return true;
  return isNothing && before.indexed !== now.indexed;
}
