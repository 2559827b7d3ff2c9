/** The score of a search with negatives: sim(positive) - (0.5 / n) * sum of sim(negative). Used by both graphs. */
import type { Metric } from "./graph.ts";

/** What the mean similarity to the negatives weighs against the similarity to the positive. */
const NEGATIVE_WEIGHT = 0.5;

export function similarity(metric: Metric, distance: number): number {
  return metric === "cosine" ? 1 - distance : 1 / (1 + distance);
}

/** The score from distances to the positive and to the negatives. */
export function scoreOf(metric: Metric, toPositive: number, toNegatives: number[]): number {
  const positive = similarity(metric, toPositive);
  if (toNegatives.length === 0) return positive;
  const sum = toNegatives.reduce((total, distance) => total + similarity(metric, distance), 0);
  return positive - (NEGATIVE_WEIGHT / toNegatives.length) * sum;
}

/**
 * Under cosine the score of a vector is its scalar product, as a unit vector, with one combined vector: the
 * positive's unit vector less the weighted mean of the negatives'. That is never 0, for the mean weighs half.
 * Gives its direction (of length 1) and its length.
 */
export function combinedDirection(
  positive: Float32Array,
  negatives: Float32Array[],
): { direction: Float32Array; length: number } {
  const sum = new Float64Array(positive.length);
  addUnit(sum, positive, 1);
  for (const negative of negatives) addUnit(sum, negative, -NEGATIVE_WEIGHT / negatives.length);
  const length = norm(sum);
  return { direction: Float32Array.from(sum, (x) => x / length), length };
}

function addUnit(sum: Float64Array, vector: Float32Array, weight: number): void {
  const factor = weight / norm(vector);
  for (const [i, x] of vector.entries()) sum[i] = (sum[i] ?? 0) + factor * x;
}

function norm(vector: Float32Array | Float64Array): number {
  let square = 0;
  for (const x of vector) square += x * x;
  return Math.sqrt(square);
}
