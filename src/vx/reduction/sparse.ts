/** Weights between rows and their neighbours, made symmetric. Called by the fits of t-SNE and UMAP. */
import type { NearestRows } from "./neighbours.ts";
import type { Progress } from "./progress.ts";

/** Compressed sparse rows: those of row i stand from starts[i] to before starts[i + 1], by column. */
export interface SparseWeights {
  starts: Uint32Array;
  columns: Uint32Array;
  weights: Float32Array;
}

/**
 * Joins the weight from i to j with that from j to i, 0 where there is none: `join` is called with both, and must not mind
 * their order.
 */
export async function symmetric(
  { k, rows }: NearestRows,
  weights: Float32Array,
  join: (a: number, b: number) => number,
  progress: Progress,
): Promise<SparseWeights> {
  const count = rows.length / k;
  const firsts = Uint32Array.from({ length: count + 1 }, (_, row) => row * k);
  const back = await transposed({ starts: firsts, columns: rows, weights }, progress.part(0, 0.3));
  const there = await transposed(back, progress.part(0.3, 0.6));
  const starts = new Uint32Array(count + 1);
  const columns = new Uint32Array(rows.length * 2);
  const joined = new Float32Array(rows.length * 2);
  let to = 0;
  for (let row = 0; row < count; row++) {
    let a = there.starts[row] as number;
    let b = back.starts[row] as number;
    const endOfA = there.starts[row + 1] as number;
    const endOfB = back.starts[row + 1] as number;
    while (a < endOfA || b < endOfB) {
      const columnOfA = a < endOfA ? (there.columns[a] as number) : count;
      const columnOfB = b < endOfB ? (back.columns[b] as number) : count;
      columns[to] = Math.min(columnOfA, columnOfB);
      const weightOfA = columnOfA <= columnOfB ? (there.weights[a++] as number) : 0;
      const weightOfB = columnOfB <= columnOfA ? (back.weights[b++] as number) : 0;
      joined[to++] = join(weightOfA, weightOfB);
    }
    starts[row + 1] = to;
    await progress.at(0.6 + (0.4 * row) / count);
  }
  return { starts, columns: columns.slice(0, to), weights: joined.slice(0, to) };
}

/** Row i holds who has i for a column, in order. */
async function transposed(
  { starts, columns, weights }: SparseWeights,
  progress: Progress,
): Promise<SparseWeights> {
  const count = starts.length - 1;
  const turned = {
    starts: new Uint32Array(count + 1),
    columns: new Uint32Array(columns.length),
    weights: new Float32Array(columns.length),
  };
  for (const column of columns) turned.starts[column + 1] = (turned.starts[column + 1] as number) + 1;
  for (let i = 0; i < count; i++) {
    turned.starts[i + 1] = (turned.starts[i + 1] as number) + (turned.starts[i] as number);
  }
  const next = turned.starts.slice();
  for (let row = 0; row < count; row++) {
    for (let at = starts[row] as number; at < (starts[row + 1] as number); at++) {
      const column = columns[at] as number;
      const to = next[column] as number;
      next[column] = to + 1;
      turned.columns[to] = row;
      turned.weights[to] = weights[at] as number;
    }
    await progress.at(row / count);
  }
  return turned;
}
