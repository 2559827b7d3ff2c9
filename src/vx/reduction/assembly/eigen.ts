/**
 * The loops of the symmetric eigenproblem (../symmetric-eigen.ts), f64, two numbers at a time. Rows start at even numbers
 * and are `stride` numbers apart, an even number; loops begin at an even number at or before what they are to see, where
 * vectors are 0.
 */

/**
 * Begins step k of Householder's reduction of the matrix at `a`. Row k - 1 and `pending` are the v and w of the step before,
 * whose update A - v w' - w v' is still to be made: of row k it is made here. Leaves this step's v in row k, behind the
 * diagonal, and zeros before it and at the beginning of `next`, so that loops may begin at an even number. Writes the
 * diagonal at `facts`, what is beside it and v's factor behind that.
 */
export function reflectionOf(
  a: usize,
  n: u32,
  stride: u32,
  k: u32,
  pending: usize,
  next: usize,
  facts: usize,
): void {
  const rowBytes = stride << 3;
  const row = a + k * rowBytes;
  if (k > 0) update(row, row - rowBytes, pending, k, k, n);
  store<f64>(facts, load<f64>(row + (k << 3)));
  for (let i: u32 = 0; i <= k; i++) store<f64>(row + (i << 3), 0);
  for (let i: u32 = 0; i <= k; i++) store<f64>(next + (i << 3), 0);
  const first = k + 1;
  const head = load<f64>(row + (first << 3));
  let tail: f64 = 0;
  for (let i = first + 1; i < n; i++) {
    const x = load<f64>(row + (i << 3));
    tail += x * x;
  }
  let alpha = head;
  let factor: f64 = 0;
  if (tail > 0) {
    const length = Math.sqrt(head * head + tail);
    alpha = head > 0 ? -length : length;
    store<f64>(row + (first << 3), head - alpha);
    factor = 2 / ((head - alpha) * (head - alpha) + tail);
  }
  store<f64>(facts, alpha, 8);
  store<f64>(facts, factor, 16);
}

/**
 * Brings rows `from` to `to` behind row k up to date, together with their products with v, which go to `next` times v's
 * factor.
 */
export function multiplyRows(
  a: usize,
  n: u32,
  stride: u32,
  k: u32,
  pending: usize,
  next: usize,
  factor: f64,
  from: u32,
  to: u32,
): void {
  const rowBytes = stride << 3;
  const row = a + k * rowBytes;
  const former = row - rowBytes;
  const first = k + 1;
  for (let i = from; i < to; i++) {
    const at = a + i * rowBytes;
    if (k > 0) update(at, former, pending, i, first, n);
    store<f64>(next + (i << 3), factor * dot(at, row, first, n));
  }
}

/** Ends step k: makes its w of the products in `next`. */
export function endReflection(a: usize, n: u32, stride: u32, k: u32, next: usize, factor: f64): void {
  const row = a + k * (stride << 3);
  const first = k + 1;
  subtract(next, row, (factor * dot(next, row, first, n)) / 2, first, n);
}

/** Row `i` of A - v w' - w v', from column `first` on. */
function update(row: usize, v: usize, w: usize, i: u32, first: u32, n: u32): void {
  const vi = f64x2.splat(load<f64>(v + (i << 3)));
  const wi = f64x2.splat(load<f64>(w + (i << 3)));
  for (let j = (first & ~1) << 3; j < n << 3; j += 16) {
    const change = f64x2.add(f64x2.mul(vi, v128.load(w + j)), f64x2.mul(wi, v128.load(v + j)));
    v128.store(row + j, f64x2.sub(v128.load(row + j), change));
  }
}

function dot(a: usize, b: usize, first: u32, n: u32): f64 {
  let even = f64x2.splat(0);
  let odd = f64x2.splat(0);
  let j = (first & ~1) << 3;
  for (; j + 16 < n << 3; j += 32) {
    even = f64x2.add(even, f64x2.mul(v128.load(a + j), v128.load(b + j)));
    odd = f64x2.add(odd, f64x2.mul(v128.load(a + j, 16), v128.load(b + j, 16)));
  }
  if (j < n << 3) even = f64x2.add(even, f64x2.mul(v128.load(a + j), v128.load(b + j)));
  const sum = f64x2.add(even, odd);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** Takes from each of `count` rows what lies along v, twice: Householder's reflection, with v's factor. */
export function reflectRows(
  rows: usize,
  count: u32,
  n: u32,
  stride: u32,
  v: usize,
  k: u32,
  factor: f64,
): void {
  const first = k + 1;
  for (let row: u32 = 0; row < count; row++) {
    subtract(rows, v, factor * dot(rows, v, first, n), first, n);
    rows += stride << 3;
  }
}

/** row - share * v, from `first` on. */
function subtract(row: usize, v: usize, share: f64, first: u32, n: u32): void {
  const shares = f64x2.splat(share);
  for (let j = (first & ~1) << 3; j < n << 3; j += 16) {
    v128.store(row + j, f64x2.sub(v128.load(row + j), f64x2.mul(shares, v128.load(v + j))));
  }
}

/**
 * Rotates rows i and i + 1 for i from `last` - 1 down to `first`, by the cosine and sine at `turns`, in that order. By
 * columns, eight at a time, so that a row is read and written once.
 */
export function rotateRows(rows: usize, stride: u32, first: u32, last: u32, turns: usize): void {
  const rowBytes = stride << 3;
  const top = rows + first * rowBytes;
  for (let column: u32 = 0; column < rowBytes; column += 64) {
    let row = rows + last * rowBytes + column;
    let a = v128.load(row);
    let b = v128.load(row, 16);
    let c = v128.load(row, 32);
    let d = v128.load(row, 48);
    let turn = turns;
    for (; row > top + column; row -= rowBytes) {
      const cosine = v128.load_splat<u64>(turn);
      const sine = v128.load_splat<u64>(turn, 8);
      const above = row - rowBytes;
      let x = v128.load(above);
      v128.store(row, f64x2.add(f64x2.mul(sine, x), f64x2.mul(cosine, a)));
      a = f64x2.sub(f64x2.mul(cosine, x), f64x2.mul(sine, a));
      x = v128.load(above, 16);
      v128.store(row, f64x2.add(f64x2.mul(sine, x), f64x2.mul(cosine, b)), 16);
      b = f64x2.sub(f64x2.mul(cosine, x), f64x2.mul(sine, b));
      x = v128.load(above, 32);
      v128.store(row, f64x2.add(f64x2.mul(sine, x), f64x2.mul(cosine, c)), 32);
      c = f64x2.sub(f64x2.mul(cosine, x), f64x2.mul(sine, c));
      x = v128.load(above, 48);
      v128.store(row, f64x2.add(f64x2.mul(sine, x), f64x2.mul(cosine, d)), 48);
      d = f64x2.sub(f64x2.mul(cosine, x), f64x2.mul(sine, d));
      turn += 16;
    }
    v128.store(row, a);
    v128.store(row, b, 16);
    v128.store(row, c, 32);
    v128.store(row, d, 48);
  }
}
