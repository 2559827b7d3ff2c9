/**
 * Sums over long f32 rows, eight at a time: they come from memory, which eight rows keep busier than four do, and each row's
 * sum is what it is among four. Called by batch, for scans.
 */
import { vectorBytes } from "./slots";

/** Sums of the four lanes of each of four vectors. */
export function sumsOf(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** What is summed. Known when it is compiled: a question in the loop would cost what the eight rows gain. */
class Products {}
class Squares {}

function term<Summed>(x: v128, row: usize): v128 {
  const numbers = v128.load(row);
  if (idof<Summed>() === idof<Products>()) return f32x4.mul(x, numbers);
  const difference = f32x4.sub(x, numbers);
  return f32x4.mul(difference, difference);
}

function sumEight<Summed>(query: usize, rows: usize, place: usize): void {
  let q = query;
  let a = <usize>load<u32>(rows);
  let b = <usize>load<u32>(rows, 4);
  let c = <usize>load<u32>(rows, 8);
  let d = <usize>load<u32>(rows, 12);
  let e = <usize>load<u32>(rows, 16);
  let f = <usize>load<u32>(rows, 20);
  let g = <usize>load<u32>(rows, 24);
  let h = <usize>load<u32>(rows, 28);
  let sumA = f32x4.splat(0);
  let sumB = f32x4.splat(0);
  let sumC = f32x4.splat(0);
  let sumD = f32x4.splat(0);
  let sumE = f32x4.splat(0);
  let sumF = f32x4.splat(0);
  let sumG = f32x4.splat(0);
  let sumH = f32x4.splat(0);
  for (const stop = a + vectorBytes; a < stop; ) {
    const x = v128.load(q);
    sumA = f32x4.add(sumA, term<Summed>(x, a));
    sumB = f32x4.add(sumB, term<Summed>(x, b));
    sumC = f32x4.add(sumC, term<Summed>(x, c));
    sumD = f32x4.add(sumD, term<Summed>(x, d));
    sumE = f32x4.add(sumE, term<Summed>(x, e));
    sumF = f32x4.add(sumF, term<Summed>(x, f));
    sumG = f32x4.add(sumG, term<Summed>(x, g));
    sumH = f32x4.add(sumH, term<Summed>(x, h));
    q += 16;
    a += 16;
    b += 16;
    c += 16;
    d += 16;
    e += 16;
    f += 16;
    g += 16;
    h += 16;
  }
  v128.store(place, sumsOf(sumA, sumB, sumC, sumD));
  v128.store(place + 16, sumsOf(sumE, sumF, sumG, sumH));
}

/** Products with the query of the rows whose addresses lie there, eight by eight; the sums go to `place`. */
export function productsOfEights(query: usize, rows: usize, place: usize, count: u32): void {
  for (let at: u32 = 0; at < count << 2; at += 32) sumEight<Products>(query, rows + at, place + at);
}

/** Squared distances from the query, likewise. */
export function squaresOfEights(query: usize, rows: usize, place: usize, count: u32): void {
  for (let at: u32 = 0; at < count << 2; at += 32) sumEight<Squares>(query, rows + at, place + at);
}
