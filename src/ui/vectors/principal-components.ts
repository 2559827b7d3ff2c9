/**
 * The two directions along which vectors differ most, by power iteration on the covariance, which is never built: each
 * iteration is one pass over the rows. Called by picture, in slices. Source: Golub and Van Loan, Matrix Computations,
 * 8.2, with the second axis kept orthogonal to the first.
 */
import { AXIS_TOLERANCE, MAX_AXIS_ITERATIONS } from "./limits.ts";

export interface Components {
  mean: Float32Array;
  /** Unit vectors, orthogonal. */
  axes: [Float32Array, Float32Array];
  /** Share of all variance along each axis, 0..1. */
  explained: [number, number];
}

/** Multiplications between two yields: about a third of a millisecond. */
const STEP_MULTIPLICATIONS = 200_000;

/** What float32 axes leave of a vector that lies along them, as a share of it, with room. */
const ROUNDING = 1e-5;

/** `rows` is row-major [count, dimension]. */
export function* principalComponents(rows: Float32Array, dimension: number): Generator<void, Components> {
  const mean = yield* meanOf(rows, dimension);
  const total = yield* totalVariance(rows, mean);
  const axes: Float32Array[] = [];
  const explained: number[] = [];
  while (axes.length < 2) {
    const { axis, variance } = yield* strongestAxis(rows, mean, axes);
    axes.push(axis);
    explained.push(total === 0 ? 0 : variance / total);
  }
  return { mean, axes: axes as Components["axes"], explained: explained as Components["explained"] };
}

/** Where vectors lie in the plane of the components: row-major [count, 2]. */
export function* projected(rows: Float32Array, { mean, axes }: Components): Generator<void, Float32Array> {
  const dimension = mean.length;
  const points = new Float32Array((rows.length / dimension) * 2);
  for (let row = 0; row < points.length / 2; row++) {
    axes.forEach((axis, which) => {
      points[2 * row + which] = along(rows, row * dimension, mean, axis);
    });
    if (row % stepRows(dimension) === 0) yield;
  }
  return points;
}

function stepRows(dimension: number): number {
  return Math.max(1, Math.floor(STEP_MULTIPLICATIONS / dimension));
}

function* meanOf(rows: Float32Array, dimension: number): Generator<void, Float32Array> {
  const sums = new Float64Array(dimension);
  for (let start = 0; start < rows.length; start += dimension) {
    for (let at = 0; at < dimension; at++) sums[at] = (sums[at] ?? 0) + (rows[start + at] ?? 0);
    if ((start / dimension) % stepRows(dimension) === 0) yield;
  }
  return Float32Array.from(sums, (sum) => sum / Math.max(1, rows.length / dimension));
}

function* totalVariance(rows: Float32Array, mean: Float32Array): Generator<void, number> {
  const dimension = mean.length;
  let total = 0;
  for (let start = 0; start < rows.length; start += dimension) {
    for (let at = 0; at < dimension; at++) total += ((rows[start + at] ?? 0) - (mean[at] ?? 0)) ** 2;
    if ((start / dimension) % stepRows(dimension) === 0) yield;
  }
  return total;
}

function* strongestAxis(
  rows: Float32Array,
  mean: Float32Array,
  before: readonly Float32Array[],
): Generator<void, { axis: Float32Array; variance: number }> {
  const dimension = mean.length;
  let axis = startOf(dimension, before);
  let variance = 0;
  for (let iteration = 0; iteration < MAX_AXIS_ITERATIONS; iteration++) {
    const next = new Float64Array(dimension);
    variance = 0;
    for (let start = 0; start < rows.length; start += dimension) {
      const share = along(rows, start, mean, axis);
      variance += share * share;
      for (let at = 0; at < dimension; at++) {
        next[at] = (next[at] ?? 0) + share * ((rows[start + at] ?? 0) - (mean[at] ?? 0));
      }
      if ((start / dimension) % stepRows(dimension) === 0) yield;
    }
    const turned = unitWithout(next, before);
    // Nothing varies in any direction that is left.
    if (turned === undefined) return { axis, variance: 0 };
    let cosine = 0;
    for (let at = 0; at < dimension; at++) cosine += (turned[at] ?? 0) * (axis[at] ?? 0);
    axis = turned;
    if (1 - cosine < AXIS_TOLERANCE) break;
  }
  return { axis, variance };
}

function along(rows: Float32Array, start: number, mean: Float32Array, axis: Float32Array): number {
  let share = 0;
  for (let at = 0; at < axis.length; at++) {
    share += ((rows[start + at] ?? 0) - (mean[at] ?? 0)) * (axis[at] ?? 0);
  }
  return share;
}

/** Any direction does that is not orthogonal to the axis; the same each time, so that pictures of the same agree. */
function startOf(dimension: number, before: readonly Float32Array[]): Float32Array {
  const seed = Float64Array.from({ length: dimension }, (_, at) => Math.sin(at + 1) + 0.1 / (at + 1));
  const start = unitWithout(seed, before);
  return start ?? new Float32Array(dimension);
}

/** The direction of `vector` without what lies along the axes; undefined where no more than rounding is left. */
function unitWithout(vector: Float64Array, axes: readonly Float32Array[]): Float32Array | undefined {
  const before = Math.hypot(...vector);
  // Axes are unit vectors up to rounding, so that once leaves a trace.
  for (const axis of [...axes, ...axes]) {
    let share = 0;
    for (let at = 0; at < vector.length; at++) share += (vector[at] ?? 0) * (axis[at] ?? 0);
    for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) - share * (axis[at] ?? 0);
  }
  const length = Math.hypot(...vector);
  return length <= ROUNDING * before ? undefined : Float32Array.from(vector, (value) => value / length);
}
