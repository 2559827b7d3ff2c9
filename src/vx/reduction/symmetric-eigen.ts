/**
 * Eigenvalues and eigenvectors of a symmetric matrix: to tridiagonal form by Householder's reflections, then implicit QL.
 * Called by PCA; the loops are the kernel's. Golub and Van Loan, "Matrix Computations", 4th edition, 8.3; EISPACK's tql2.
 */
import { type Kernel, padded } from "./kernel.ts";
import type { Progress } from "./progress.ts";

/** A square matrix, f64, row-major in the kernel's memory, its rows padded to a multiple of eight numbers. */
export interface Matrix {
  address: number;
  size: number;
}

export interface Eigen {
  /** Largest first. */
  values: Float64Array;
  /** Eigenvectors of the `count` largest, row-major [count, n], of length 1. */
  vectors(count: number): Promise<Float64Array>;
}

/** Numbers multiplied or rotated between two looks at the clock: a few milliseconds. */
const NUMBERS_A_LOOK = 2_000_000;

/** A QL step that has not converged by then never will; 30 is EISPACK's, and nothing real takes 10. */
const MAX_STEPS = 60;

/** The matrix is lost. */
export async function symmetricEigen(kernel: Kernel, matrix: Matrix, progress: Progress): Promise<Eigen> {
  const { diagonal, beside, factors } = await tridiagonal(kernel, matrix, progress.part(0, 0.3));
  const z = await diagonalise(kernel, diagonal, beside, progress.part(0.3, 1));
  const order = Array.from(diagonal.keys()).sort((i, j) => (diagonal[j] as number) - (diagonal[i] as number));
  return {
    values: Float64Array.from(order, (i) => diagonal[i] as number),
    vectors: (count) => transformBack(kernel, matrix, factors, z, order.slice(0, count), progress),
  };
}

/** The tridiagonal form. Leaves the reflection of step k in row k. */
async function tridiagonal(kernel: Kernel, { address, size: n }: Matrix, progress: Progress) {
  const stride = padded(n, 8);
  const diagonal = new Float64Array(n);
  const beside = new Float64Array(n);
  const factors = new Float64Array(n);
  const rows = Math.max(1, Math.floor(NUMBERS_A_LOOK / stride));
  const facts = kernel.take(24);
  let pending = kernel.take(stride * 8);
  let next = kernel.take(stride * 8);
  for (let k = 0; k < n - 1; k++) {
    kernel.loops.reflectionOf(address, n, stride, k, pending, next, facts);
    const [at, off, factor] = kernel.doubles(facts, 3) as unknown as [number, number, number];
    [diagonal[k], beside[k], factors[k]] = [at, off, factor];
    for (let from = k + 1; from < n; from += rows) {
      const to = Math.min(n, from + rows);
      kernel.loops.multiplyRows(address, n, stride, k, pending, next, factor, from, to);
      await progress.at(k / n);
    }
    kernel.loops.endReflection(address, n, stride, k, next, factor);
    [pending, next] = [next, pending];
  }
  diagonal[n - 1] = kernel.doubles(address, stride * n)[(n - 1) * (stride + 1)] as number;
  return { diagonal, beside, factors };
}

/** Leaves the eigenvalues in `d` and gives the address of the eigenvectors of the tridiagonal form, a row each. */
async function diagonalise(
  kernel: Kernel,
  d: Float64Array,
  e: Float64Array,
  progress: Progress,
): Promise<number> {
  const n = d.length;
  const stride = padded(n, 8);
  const z = kernel.take(stride * n * 8);
  const turns = kernel.take(n * 16);
  const rotations = Math.max(1, Math.floor(NUMBERS_A_LOOK / stride));
  for (let i = 0; i < n; i++) {
    kernel.doubles(z, stride * n)[i * (stride + 1)] = 1;
    await progress.at(0);
  }
  for (let l = 0; l < n; l++) {
    for (let step = 0; step < MAX_STEPS; step++) {
      const m = firstSmall(d, e, l);
      if (m === l) break;
      const first = qlStep(d, e, kernel.doubles(turns, n * 2), l, m);
      for (let last = m; last > first; last -= rotations) {
        const next = Math.max(first, last - rotations);
        kernel.loops.rotateRows(z, stride, next, last, turns + (m - last) * 16);
        await progress.at(l / n);
      }
    }
  }
  return z;
}

/** The first row from l on that is hardly tied to the next. */
function firstSmall(d: Float64Array, e: Float64Array, l: number): number {
  let m = l;
  for (; m < d.length - 1; m++) {
    const size = Math.abs(d[m] as number) + Math.abs(d[m + 1] as number);
    if (Math.abs(e[m] as number) <= Number.EPSILON * size) break;
  }
  return m;
}

/**
 * One implicit QL step on rows l to m, with Wilkinson's shift. Leaves the cosines and sines of its rotations, from row m
 * up, in `turns`; gives the row that they end at, which is l but for a lucky zero.
 */
function qlStep(d: Float64Array, e: Float64Array, turns: Float64Array, l: number, m: number): number {
  const ahead = ((d[l + 1] as number) - (d[l] as number)) / (2 * (e[l] as number));
  const root = Math.sqrt(ahead * ahead + 1);
  let g = (d[m] as number) - (d[l] as number) + (e[l] as number) / (ahead + (ahead < 0 ? -root : root));
  let s = 1;
  let c = 1;
  let p = 0;
  let turn = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * (e[i] as number);
    const b = c * (e[i] as number);
    const length = Math.sqrt(f * f + g * g);
    e[i + 1] = length;
    if (length === 0) {
      d[i + 1] = (d[i + 1] as number) - p;
      e[m] = 0;
      return i + 1;
    }
    s = f / length;
    c = g / length;
    g = (d[i + 1] as number) - p;
    const change = ((d[i] as number) - g) * s + 2 * c * b;
    p = s * change;
    d[i + 1] = g + p;
    g = c * change - b;
    turns[turn++] = c;
    turns[turn++] = s;
  }
  d[l] = (d[l] as number) - p;
  e[l] = g;
  e[m] = 0;
  return l;
}

/** The rows of z at these places, through the reflections in the matrix, last one first. */
async function transformBack(
  kernel: Kernel,
  { address, size: n }: Matrix,
  factors: Float64Array,
  z: number,
  places: number[],
  progress: Progress,
): Promise<Float64Array> {
  const stride = padded(n, 8);
  const count = places.length;
  const rows = kernel.take(count * stride * 8);
  const step = Math.max(1, Math.floor(NUMBERS_A_LOOK / stride));
  for (const [i, place] of places.entries()) {
    const row = kernel.doubles(z + place * stride * 8, n);
    kernel.doubles(rows + i * stride * 8, n).set(row);
    await progress.at(1);
  }
  for (let k = n - 2; k >= 0; k--) {
    const factor = factors[k] as number;
    for (let row = 0; row < count && factor > 0; row += step) {
      const some = Math.min(step, count - row);
      kernel.loops.reflectRows(rows + row * stride * 8, some, n, stride, address + k * stride * 8, k, factor);
      await progress.at(1);
    }
  }
  const vectors = new Float64Array(count * n);
  for (let i = 0; i < count; i++) {
    vectors.set(kernel.doubles(rows + i * stride * 8, n), i * n);
    await progress.at(1);
  }
  return vectors;
}
