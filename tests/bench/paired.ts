/**
 * What one thing costs another where the machine's pace drifts: both are measured in turn, pair by pair, and only the two of a
 * pair are held against each other. Called by search-transfer.ts.
 */
import { median } from "./results.ts";

/** The median of ratios, and two of them that it lies between with the confidence given, whatever they are spread like. */
export interface MedianRatio {
  median: number;
  low: number;
  high: number;
  confidence: number;
}

const WANTED_CONFIDENCE = 0.95;

/** Of at least one ratio. The interval is the sign test's: how many of n coins show heads tells how far it reaches. */
export function medianRatio(ratios: readonly number[]): MedianRatio {
  const sorted = [...ratios].sort((a, b) => a - b);
  const count = sorted.length;
  // Chance that so many or fewer ratios lie below the true median.
  let tail = 0;
  let left = 0;
  for (let chance = 0.5 ** count; left < Math.floor((count - 1) / 2); left++) {
    if (2 * (tail + chance) > 1 - WANTED_CONFIDENCE) break;
    tail += chance;
    chance *= (count - left) / (left + 1);
  }
  const at = Math.max(0, left - 1);
  return {
    median: median(sorted),
    low: sorted[at] as number,
    high: sorted[count - 1 - at] as number,
    confidence: left === 0 ? 1 - 2 * 0.5 ** count : 1 - 2 * tail,
  };
}
