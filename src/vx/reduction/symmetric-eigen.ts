/**
 * Eigenvalues and eigenvectors of a symmetric matrix: to tridiagonal form by Householder's reflections, then implicit QL.
 * Called by PCA. Golub and Van Loan, "Matrix Computations", 4th edition, 8.3; EISPACK's tql2 for the shifts.
 */
import type { Progress } from "./progress.ts";

export interface Eigen {
  /** Largest first. */
  values: Float64Array;
  /** Eigenvectors of the `count` largest, row-major [count, n], of length 1. */
  vectors(count: number): Float64Array;
}

/** `a` is row-major [n, n] and lost. */
export async function symmetricEigen(a: Float64Array, n: number, progress: Progress): Promise<Eigen> {
  const scales = new Float64Array(n);
  const { diagonal, beside } = await tridiagonal(a, n, scales, progress);
  const z = await diagonalise(diagonal, beside, n, progress);
  const order = Array.from(diagonal.keys()).sort((i, j) => (diagonal[j] as number) - (diagonal[i] as number));
  return {
    values: Float64Array.from(order, (i) => diagonal[i] as number),
    vectors: (count) => {
      const vectors = new Float64Array(count * n);
      for (let i = 0; i < count; i++) {
        const from = (order[i] as number) * n;
        vectors.set(z.subarray(from, from + n), i * n);
      }
      for (let k = n - 2; k >= 0; k--) reflectAll(vectors, count, n, a, k, scales[k] as number);
      return vectors;
    },
  };
}

/** Leaves the reflection of step k in row k, behind the diagonal, and its factor in `scales`. */
async function tridiagonal(a: Float64Array, n: number, scales: Float64Array, progress: Progress) {
  const diagonal = new Float64Array(n);
  const beside = new Float64Array(n);
  const p = new Float64Array(n);
  for (let k = 0; k < n - 1; k++) {
    const row = k * n;
    diagonal[k] = a[row + k] as number;
    let tail = 0;
    for (let i = k + 2; i < n; i++) tail += (a[row + i] as number) ** 2;
    const head = a[row + k + 1] as number;
    if (tail === 0) {
      beside[k] = head;
      continue;
    }
    const length = Math.sqrt(head * head + tail);
    const alpha = head > 0 ? -length : length;
    beside[k] = alpha;
    a[row + k + 1] = head - alpha;
    const scale = 2 / ((head - alpha) ** 2 + tail);
    scales[k] = scale;
    let pv = 0;
    for (let i = k + 1; i < n; i++) {
      let sum = 0;
      for (let j = k + 1, at = i * n + j; j < n; j++, at++) sum += (a[at] as number) * (a[row + j] as number);
      p[i] = sum * scale;
      pv += (p[i] as number) * (a[row + i] as number);
    }
    const half = (scale * pv) / 2;
    for (let i = k + 1; i < n; i++) p[i] = (p[i] as number) - half * (a[row + i] as number);
    for (let i = k + 1; i < n; i++) {
      const vi = a[row + i] as number;
      const pi = p[i] as number;
      for (let j = k + 1, at = i * n + j; j < n; j++, at++) {
        a[at] = (a[at] as number) - vi * (p[j] as number) - pi * (a[row + j] as number);
      }
    }
    await progress.at((0.3 * k) / n);
  }
  diagonal[n - 1] = a[n * n - 1] as number;
  return { diagonal, beside };
}

function reflectAll(
  rows: Float64Array,
  count: number,
  n: number,
  a: Float64Array,
  k: number,
  scale: number,
): void {
  if (scale === 0) return;
  for (let row = 0; row < count * n; row += n) {
    let sum = 0;
    for (let i = k + 1; i < n; i++) sum += (rows[row + i] as number) * (a[k * n + i] as number);
    sum *= scale;
    for (let i = k + 1; i < n; i++)
      rows[row + i] = (rows[row + i] as number) - sum * (a[k * n + i] as number);
  }
}

/** Leaves the eigenvalues in `d` and gives the eigenvectors as rows. */
async function diagonalise(d: Float64Array, e: Float64Array, n: number, progress: Progress) {
  const z = new Float64Array(n * n);
  for (let i = 0; i < n; i++) z[i * n + i] = 1;
  e[n - 1] = 0;
  for (let l = 0; l < n; l++) {
    for (;;) {
      let m = l;
      while (m < n - 1) {
        const size = Math.abs(d[m] as number) + Math.abs(d[m + 1] as number);
        if (Math.abs(e[m] as number) <= Number.EPSILON * size) break;
        m++;
      }
      if (m === l) break;
      qlStep(d, e, z, n, l, m);
      await progress.at(0.3 + (0.7 * l) / n);
    }
  }
  return z;
}

/** One implicit QL step on rows l to m, with Wilkinson's shift. */
function qlStep(d: Float64Array, e: Float64Array, z: Float64Array, n: number, l: number, m: number): void {
  let g = ((d[l + 1] as number) - (d[l] as number)) / (2 * (e[l] as number));
  let r = Math.hypot(g, 1);
  g = (d[m] as number) - (d[l] as number) + (e[l] as number) / (g + (g < 0 ? -r : r));
  let s = 1;
  let c = 1;
  let p = 0;
  for (let i = m - 1; i >= l; i--) {
    const f = s * (e[i] as number);
    const b = c * (e[i] as number);
    r = Math.hypot(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1] = (d[i + 1] as number) - p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = (d[i + 1] as number) - p;
    r = ((d[i] as number) - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotate(z, i * n, n, c, s);
  }
  d[l] = (d[l] as number) - p;
  e[l] = g;
  e[m] = 0;
}

/** Rotates the row at `row` and the one behind it. */
function rotate(z: Float64Array, row: number, n: number, c: number, s: number): void {
  for (let i = row; i < row + n; i++) {
    const below = z[i + n] as number;
    const here = z[i] as number;
    z[i + n] = s * here + c * below;
    z[i] = c * here - s * below;
  }
}
