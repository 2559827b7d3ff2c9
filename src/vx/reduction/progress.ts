/** The course of one fit: turns for others, the caller's progress and abort. Made by fit.ts, told by every long loop. */
import { TurnClock } from "../turn-clock.ts";
import type { FitOptions } from "./fit.ts";

export interface Progress {
  /** Where the work is, 0 to 1. Gives others a turn when it is theirs. @throws the signal's reason */
  at(fraction: number): Promise<void>;
  /** The progress of a part of the work, which begins and ends at these fractions of it. */
  part(from: number, to: number): Progress;
}

export function startProgress({ onProgress, signal }: FitOptions): Progress {
  const clock = new TurnClock();
  let told = 0;
  signal?.throwIfAborted();
  return {
    async at(fraction) {
      if (!clock.isOver) return;
      const now = Math.min(1, fraction);
      if (now > told) onProgress?.(now);
      told = Math.max(told, now);
      await clock.next();
      signal?.throwIfAborted();
    },
    part(from, to) {
      return partOf(this, from, to);
    },
  };
}

function partOf(whole: Progress, from: number, to: number): Progress {
  return {
    at: (fraction) => whole.at(from + (to - from) * fraction),
    part(first, last) {
      return partOf(this, first, last);
    },
  };
}
