/**
 * Fits t-SNE: similarities of the nearest neighbours, laid out by gradient descent whose repulsion is Barnes and Hut's up to
 * three dimensions and exact above. Called by fit.ts; the steps run in the kernel. Van der Maaten, "Accelerating t-SNE using
 * tree-based algorithms", 2014; the rate is Belkina et al.'s, 2019, and the rest scikit-learn's defaults.
 */
import { Kernel, padded } from "./kernel.ts";
import type { NearestRows } from "./neighbours.ts";
import type { Progress } from "./progress.ts";
import { type SparseWeights, symmetric } from "./sparse.ts";

/** How many neighbours count as near: the similarities of each point have this exponential of their entropy. */
const PERPLEXITY = 30;

/** Similarities beyond three times the perplexity are next to nothing. */
export const TSNE_NEIGHBOURS = 3 * PERPLEXITY;

/** Dimensions in which a cell of the tree has eight parts at most. */
export const MAX_TREE_TARGET = 3;

/** Steps with attraction exaggerated, in which clusters form, and after them. */
const EARLY_STEPS = 250;
const EARLY_EXAGGERATION = 12;
const LATE_STEPS = 500;

/** Widths of cells by their distance, from which on they count as one point. */
const ANGLE = 0.5;

/** Spread of the first axis that it begins with: so small that all can pass each other. */
const FIRST_SPREAD = 1e-4;

/** Cells that one point can be in: the tree's depth and the root. */
const CELLS_A_POINT = 25;
const CELL_BYTES = 32;

/** Least sum of similarities to a point: where all are farther than this tells, rounding leaves 0 or less. */
const LEAST_SIMILARITY = 1e-12;

/** A place that all similarities to are 0. */
const FAR = 1e18;

/** Lays out points, from where they are: row-major [count, target], in place. */
export async function layOutByTsne(
  places: Float32Array,
  target: number,
  nearest: NearestRows,
  progress: Progress,
): Promise<void> {
  const count = places.length / target;
  const similarities = await similaritiesOf(nearest, progress.part(0, 0.05));
  const kernel = new Kernel();
  const layout = takeLayout(kernel, places, target, similarities);
  const repel = target <= MAX_TREE_TARGET ? treeRepulsion(kernel, layout) : exactRepulsion(kernel, layout);
  const { stride, freedom } = layout;
  const factor = (2 * (freedom + 1)) / freedom;
  const rate = Math.max(count / EARLY_EXAGGERATION / 4, 50);
  const steps = progress.part(0.05, 1);
  for (let step = 0; step < EARLY_STEPS + LATE_STEPS; step++) {
    const isEarly = step < EARLY_STEPS;
    const turn = () => steps.at(step / (EARLY_STEPS + LATE_STEPS));
    for (let from = 0; from < count; from += layout.turnRows) {
      const to = Math.min(count, from + layout.turnRows);
      const { address, starts, columns, weights, pulls } = layout;
      kernel.loops.attract(address, stride * 4, starts, columns, weights, from, to, freedom, pulls);
      await turn();
    }
    const total = await repel(turn);
    kernel.loops.gradientStep(
      layout.address,
      layout.pulls,
      layout.pushes,
      layout.moves,
      layout.gains,
      count * stride,
      factor * (isEarly ? EARLY_EXAGGERATION : 1),
      factor / Math.max(total, count * LEAST_SIMILARITY),
      isEarly ? 0.5 : 0.8,
      rate,
    );
    await turn();
  }
  kernel.copyRows(layout.address, stride, places, target);
}

/** What the steps work on: counts, and addresses in the kernel. */
interface Layout {
  count: number;
  target: number;
  /** Numbers of a padded row. */
  stride: number;
  /** Of Student's distribution that similarities in the layout have. */
  freedom: number;
  /** Rows handled in a millisecond or a few. */
  turnRows: number;
  address: number;
  starts: number;
  columns: number;
  weights: number;
  pulls: number;
  pushes: number;
  moves: number;
  gains: number;
}

function takeLayout(
  kernel: Kernel,
  places: Float32Array,
  target: number,
  similarities: SparseWeights,
): Layout {
  const count = places.length / target;
  const stride = padded(target, 4);
  const rowsBytes = count * stride * 4;
  const layout = {
    count,
    target,
    stride,
    freedom: Math.max(target - 1, 1),
    turnRows: Math.max(4, Math.floor(4096 / stride) & ~3),
    address: kernel.put(atStart(places, target, stride)),
    starts: kernel.put(similarities.starts),
    columns: kernel.put(similarities.columns),
    weights: kernel.put(similarities.weights),
    pulls: kernel.take(rowsBytes),
    pushes: kernel.take(rowsBytes),
    moves: kernel.take(rowsBytes),
    gains: kernel.take(rowsBytes),
  };
  kernel.floats(layout.gains, count * stride).fill(1);
  return layout;
}

/** Padded rows of the same places, scaled down. */
function atStart(places: Float32Array, target: number, stride: number): Float32Array {
  const count = places.length / target;
  let square = 0;
  for (let row = 0; row < count; row++) square += (places[row * target] as number) ** 2 / count;
  const factor = square > 0 ? FIRST_SPREAD / Math.sqrt(square) : 0;
  const rows = new Float32Array(count * stride);
  for (let row = 0; row < count; row++) {
    for (let d = 0; d < target; d++) rows[row * stride + d] = (places[row * target + d] as number) * factor;
  }
  return rows;
}

/** Puts the pushes of all on all in place; gives the sum of similarities, none being similar to itself. */
type Repulsion = (turn: () => Promise<void>) => Promise<number>;

function treeRepulsion(kernel: Kernel, { count, address, freedom, pushes, turnRows }: Layout): Repulsion {
  const order = kernel.take(count * 4);
  const spare = kernel.take(count * 4);
  const cells = kernel.take(count * CELLS_A_POINT * CELL_BYTES);
  return async (turn) => {
    const bytes = kernel.loops.growTree(address, count, ANGLE, order, spare, cells);
    let total = -count;
    for (let from = 0; from < count; from += turnRows) {
      const to = Math.min(count, from + turnRows);
      total += kernel.loops.repelByTree(cells, bytes, from, to, freedom, pushes);
      await turn();
    }
    return total;
  };
}

function exactRepulsion(
  kernel: Kernel,
  { count, target, stride, address, freedom, pushes }: Layout,
): Repulsion {
  const groupCount = Math.ceil(count / 4);
  const groups = kernel.take(groupCount * target * 16);
  const sums = kernel.take(target * 16);
  const turnRows = Math.max(1, Math.floor(4_000_000 / (count * target)));
  return async (turn) => {
    const rows = kernel.floats(address, count * stride);
    const grouped = kernel.floats(groups, groupCount * target * 4).fill(FAR);
    for (let row = 0; row < count; row++) {
      const group = (row >> 2) * target * 4 + (row & 3);
      for (let d = 0; d < target; d++) grouped[group + d * 4] = rows[row * stride + d] as number;
    }
    let total = -count;
    for (let from = 0; from < count; from += turnRows) {
      const to = Math.min(count, from + turnRows);
      total += kernel.loops.repelAll(
        address,
        stride * 4,
        groups,
        target,
        count,
        from,
        to,
        freedom,
        sums,
        pushes,
      );
      await turn();
    }
    return total;
  };
}

/** Similarities of all pairs of neighbours, which add up to 1: Gaussian, as wide for each row as the perplexity wants. */
async function similaritiesOf(nearest: NearestRows, progress: Progress): Promise<SparseWeights> {
  const { k, distances } = nearest;
  const count = distances.length / k;
  const wanted = Math.log(Math.min(PERPLEXITY, k / 3));
  const weights = new Float32Array(distances.length);
  for (let row = 0; row < count; row++) {
    const own = distances.subarray(row * k, (row + 1) * k);
    weights.set(gaussian(own, wanted), row * k);
    await progress.at((0.9 * row) / count);
  }
  return symmetric(nearest, weights, (a, b) => (a + b) / (2 * count), progress.part(0.9, 1));
}

/** Shares that add up to 1 and have this entropy, by halving. */
function gaussian(distances: Float32Array, entropy: number): Float64Array {
  const nearest = (distances[0] ?? 0) ** 2;
  const squares = Float64Array.from(distances, (distance) => distance ** 2 - nearest);
  const shares = new Float64Array(squares.length).fill(1 / squares.length);
  const widest = squares[squares.length - 1] as number;
  if (widest === 0) return shares;
  let low = 0;
  let high = Number.POSITIVE_INFINITY;
  let sharpness = 1 / widest;
  for (let step = 0; step < 64; step++) {
    let sum = 0;
    let weighted = 0;
    for (let i = 0; i < squares.length; i++) {
      const share = Math.exp(-(squares[i] as number) * sharpness);
      shares[i] = share;
      sum += share;
      weighted += share * (squares[i] as number);
    }
    for (let i = 0; i < shares.length; i++) shares[i] = (shares[i] as number) / sum;
    const now = Math.log(sum) + (sharpness * weighted) / sum;
    if (Math.abs(now - entropy) < 1e-5) break;
    if (now > entropy) low = sharpness;
    else high = sharpness;
    sharpness = high === Number.POSITIVE_INFINITY ? sharpness * 2 : (low + high) / 2;
  }
  return shares;
}
