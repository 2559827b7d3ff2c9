/**
 * Fits UMAP: a fuzzy simplicial set of the nearest neighbours, laid out by stochastic gradient descent. Called by fit.ts;
 * the epochs run in the kernel. McInnes, Healy, Melville, "UMAP", 2018; parameters are umap-learn's defaults.
 */
import { Kernel, padded } from "./kernel.ts";
import { ROWS_A_LOOK } from "./limits.ts";
import type { NearestRows } from "./neighbours.ts";
import type { Progress } from "./progress.ts";
import { randomOf } from "./random.ts";
import { type SparseWeights, symmetric } from "./sparse.ts";

/** Neighbours of each point, itself not counted. */
export const UMAP_NEIGHBOURS = 14;

/** The curve 1 / (1 + A d^2B) that is nearest to 1 up to a distance of 0.1 and exp(0.1 - d) beyond. */
const A = 1.576943460405378;
const B = 0.8950608781227859;

/** Random points that an end of an edge is pushed from, for each time that it is pulled. */
const RANDOM_POINTS = 5;

const SEED = 42;

/** Lays out points, from where they are: row-major [count, target], in place. */
export async function layOutByUmap(
  places: Float32Array,
  target: number,
  nearest: NearestRows,
  progress: Progress,
): Promise<void> {
  const count = places.length / target;
  const epochs = count <= 10_000 ? 500 : 200;
  const union = (a: number, b: number) => a + b - a * b;
  const belonging = await memberships(nearest, progress.part(0, 0.03));
  const weights = await symmetric(nearest, belonging, union, progress.part(0.03, 0.04));
  const course = progress.part(0.05, 1);
  const kernel = new Kernel();
  const stride = padded(target, 4);
  const address = kernel.put(spread(places, target, stride));
  const edgeNumbers = await edgesOf(weights, epochs, progress.part(0.04, 0.05));
  const edges = kernel.put(edgeNumbers);
  const edgeCount = edgeNumbers.length / 6;
  const pulls = kernel.put(tableOf((d2) => (-2 * A * B * d2 ** (B - 1)) / (1 + A * d2 ** B)));
  const pushes = kernel.put(tableOf((d2) => (2 * B) / ((0.001 + d2) * (1 + A * d2 ** B))));
  const sum = kernel.take(stride * 4);
  const step = Math.max(1, Math.floor(200_000 / stride));
  let seed = SEED;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const rate = 1 - epoch / epochs;
    for (let from = 0; from < edgeCount; from += step) {
      const to = Math.min(edgeCount, from + step);
      seed = kernel.loops.runEpoch(
        address,
        stride * 4,
        count,
        edges,
        from,
        to,
        epoch,
        rate,
        pulls,
        pushes,
        sum,
        seed,
      );
      await course.at(epoch / epochs);
    }
  }
  kernel.copyRows(address, stride, places, target);
}

/**
 * How much each row's neighbours belong to it: 1 for the nearest, falling with a scale that makes their sum the logarithm of
 * how many there are (section 3.1).
 */
async function memberships({ k, distances }: NearestRows, progress: Progress): Promise<Float32Array> {
  const weights = new Float32Array(distances.length);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  for (let from = 0; from < distances.length; from += k) {
    const own = distances.subarray(from, from + k);
    const first = own.find((distance) => distance > 0) ?? 0;
    const ownMean = own.reduce((sum, distance) => sum + distance, 0) / (k + 1);
    const scale = Math.max(scaleOf(own, first), 1e-3 * (first > 0 ? ownMean : mean));
    for (const [i, distance] of own.entries()) {
      weights[from + i] = distance <= first ? 1 : Math.exp(-(distance - first) / scale);
    }
    if (from % (ROWS_A_LOOK * k) === 0) await progress.at(from / distances.length);
  }
  return weights;
}

/** The scale, by halving. */
function scaleOf(distances: Float32Array, first: number): number {
  const wanted = Math.log2(distances.length + 1);
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let scale = 1;
  for (let step = 0; step < 64; step++) {
    let sum = 0;
    for (const distance of distances) sum += distance <= first ? 1 : Math.exp(-(distance - first) / scale);
    if (Math.abs(sum - wanted) < 1e-5) break;
    if (sum > wanted) high = scale;
    else low = scale;
    scale = high === Number.POSITIVE_INFINITY ? scale * 2 : (low + high) / 2;
  }
  return scale;
}

/** Places that reach from 0 to 10 along their widest axis, rows padded, off each other by a hair. */
function spread(places: Float32Array, target: number, stride: number): Float32Array {
  const random = randomOf(SEED);
  const low = new Float64Array(target).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(target).fill(Number.NEGATIVE_INFINITY);
  for (let at = 0; at < places.length; ) {
    for (let d = 0; d < target; d++, at++) {
      low[d] = Math.min(low[d] as number, places[at] as number);
      high[d] = Math.max(high[d] as number, places[at] as number);
    }
  }
  const width = high.reduce((most, end, d) => Math.max(most, end - (low[d] as number)), 0);
  const factor = width > 0 ? 10 / width : 0;
  const count = places.length / target;
  const rows = new Float32Array(count * stride);
  for (let row = 0; row < count; row++) {
    for (let d = 0; d < target; d++) {
      const place = ((places[row * target + d] as number) - (low[d] as number)) * factor;
      rows[row * stride + d] = place + (random() - 0.5) * 1e-3;
    }
  }
  return rows;
}

/** Edges as assembly/umap.ts wants them: the heavier, the more often it has its turn. */
async function edgesOf(
  { starts, columns, weights }: SparseWeights,
  epochs: number,
  progress: Progress,
): Promise<Uint32Array> {
  const heaviest = weights.reduce((most, weight) => Math.max(most, weight), 0);
  const least = heaviest / epochs;
  const count = weights.reduce((sum, weight) => sum + Number(weight >= least), 0);
  const edges = new Uint32Array(count * 6);
  const floats = new Float32Array(edges.buffer);
  let to = 0;
  for (let row = 0; row < starts.length - 1; row++) {
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) {
      const weight = weights[at] as number;
      if (weight < least) continue;
      const between = heaviest / weight;
      edges[to] = row;
      edges[to + 1] = columns[at] as number;
      floats[to + 2] = between;
      floats[to + 3] = between;
      floats[to + 4] = between / RANDOM_POINTS;
      floats[to + 5] = between / RANDOM_POINTS;
      to += 6;
    }
    await progress.at(row / starts.length);
  }
  return edges;
}

/** A function of the squared distance at the places that assembly/umap.ts looks up. */
function tableOf(at: (squared: number) => number): Float32Array {
  const [first, powers, steps] = [-24, 48, 64];
  return Float32Array.from({ length: powers * steps + 1 }, (_, i) => {
    return at(2 ** (first + Math.floor(i / steps)) * (1 + (i % steps) / steps));
  });
}
