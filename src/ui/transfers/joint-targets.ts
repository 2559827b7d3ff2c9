/** Which of a folder's transfers each of its buttons is about. Called by joint-actions. */
import type { Transfer } from "../state/entries.ts";
import { isRunning, isUnfinished } from "./transfer-words.ts";

/** Empty where the button makes no sense; in the order of `transfers`. */
export interface JointTargets {
  /** Those too that would go on by themselves. */
  pause: readonly Transfer[];
  resume: readonly Transfer[];
  /** What failed, and once all is over what was cancelled. */
  tryAgain: readonly Transfer[];
  cancel: readonly Transfer[];
}

export function jointTargets(transfers: readonly Transfer[]): JointTargets {
  const unfinished = transfers.filter(isUnfinished);
  const isAnyRunning = unfinished.some(isRunning);
  return {
    pause: isAnyRunning ? unfinished.filter(({ paused }) => !paused) : [],
    resume: isAnyRunning ? [] : unfinished,
    tryAgain: transfers.filter(
      ({ status }) => status === "failed" || (status === "cancelled" && unfinished.length === 0),
    ),
    cancel: unfinished,
  };
}
