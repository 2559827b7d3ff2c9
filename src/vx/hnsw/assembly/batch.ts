/**
 * Distances from the query to a batch of rows, four rows at a time so that a load of the query serves four.
 * Called by the walks, selection and ranking, which have set the query (query.ts).
 *
 * The distance is only for comparing: half the squared Euclidean distance on int8 rows (under cosine of unit
 * vectors, where it is 1 - cosine), the squared distance or 1 - cosine on f32 vectors.
 */
import { productsOfEights, squaresOfEights, sumsOf } from "./long-rows";
import { take } from "./memory";
import { inverse, joined, vector as queryVector, selectQuery, wide, wideHalf, wideScale } from "./query";
import { cosine, inverseNormOf, paddedDimension, quantized, vectorBytes, vectorOf, walkRowOf } from "./slots";

/** Most rows in one batch; a walk gathers up to four lists (2M each), a two-hop walk stops at this. */
export const BATCH: u32 = 1024;

export let batchSlots: usize = 0;
export let batchRows: usize = 0;
let batchKeys: usize = 0;
let batchScores: usize = 0;
/** What touching read. The kernel exports it, so no optimiser can leave the reads out. */
export let touched: u32 = 0;

/** False if memory has run out. */
export function layOutBatch(): bool {
  const block = take(BATCH * 16 + 64);
  batchSlots = block;
  batchRows = batchSlots + BATCH * 4 + 16;
  batchKeys = batchRows + BATCH * 4 + 16;
  batchScores = batchKeys + BATCH * 4 + 16;
  return block !== 0;
}

/** Puts a slot in the batch. */
export function putInBatch(index: u32, slot: u32): void {
  store<u32>(batchSlots + (index << 2), slot);
  store<u32>(batchRows + (index << 2), <u32>walkRowOf(slot));
}

export function slotInBatch(index: u32): u32 {
  return load<u32>(batchSlots + (index << 2));
}

/** Keys of the four slots from `index` on. */
export function keysInBatch(index: u32): v128 {
  return v128.load(batchKeys + (index << 2));
}

export function keyInBatch(index: u32): f32 {
  return load<f32>(batchKeys + (index << 2));
}

/** Asks for every cache line of the batch's rows, so that they arrive while others are still on their way. */
export function touchBatch(count: u32): void {
  if (count === 0) return;
  padBatch(count);
  touchRows(count, (quantized ? paddedDimension + 8 : vectorBytes) - 1);
}

/**
 * Asks for the first `count` rows up to byte `last`. How many lines are on their way at once depends on how many loads the
 * processor sees ahead: four rows side by side leave little else between them, and the first lines, each on a page of its own
 * whose place is to be looked up, come first.
 */
function touchRows(count: u32, last: u32): void {
  const end = batchRows + ((<usize>count) << 2);
  let sum: u32 = 0;
  for (let rows = batchRows; rows < end; rows += 16) {
    sum += bytesAt(0, load<u32>(rows), load<u32>(rows, 4), load<u32>(rows, 8), load<u32>(rows, 12));
  }
  for (let rows = batchRows; rows < end; rows += 16) {
    const a = load<u32>(rows);
    const b = load<u32>(rows, 4);
    const c = load<u32>(rows, 8);
    const d = load<u32>(rows, 12);
    for (let at: u32 = 64; at < last; at += 64) sum += bytesAt(at, a, b, c, d);
    sum += bytesAt(last, a, b, c, d);
  }
  touched = sum;
}

function bytesAt(at: u32, a: u32, b: u32, c: u32, d: u32): u32 {
  return <u32>load<u8>(a + at) + load<u8>(b + at) + load<u8>(c + at) + load<u8>(d + at);
}

/** Distances from the query to the first `count` rows of the batch. */
export function scoreBatch(count: u32): void {
  if (count === 0) return;
  padBatch(count);
  if (joined > 0) scoreJoined(count);
  else measure(count);
}

/**
 * Orders the batch's first `count`, whose rows lie one after another, so that each of the eight rows that are measured together
 * is followed by the next row in memory: the processor reads on ahead in eight places, where it would begin anew at each row.
 */
export function spreadBatch(count: u32): void {
  const stride = (count + 7) >> 3;
  // Keys are not there yet.
  memory.copy(batchKeys, batchSlots, count << 2);
  let place: u32 = 0;
  for (let i: u32 = 0; i < stride; i++) {
    for (let from = i; from < count; from += stride) putInBatch(place++, load<u32>(batchKeys + (from << 2)));
  }
}

/** As `scoreBatch`, of f32 rows that come from memory. */
export function scoreLongRows(count: u32): void {
  const eights = count & ~7;
  if (count === 0) return;
  padBatch(count);
  if (!cosine) {
    squaresOfEights(queryVector, batchRows, batchKeys, eights);
    scoreEuclidean(eights, count);
    return;
  }
  productsOfEights(queryVector, batchRows, batchKeys, eights);
  for (let at: u32 = 0; at < eights << 2; at += 16) {
    v128.store(batchKeys + at, cosineKeys(batchSlots + at, v128.load(batchKeys + at)));
  }
  scoreCosine(eights, count);
}

/** Distances from the current query. */
function measure(count: u32): void {
  if (quantized) scoreQuantized(count);
  else if (cosine) scoreCosine(0, count);
  else scoreEuclidean(0, count);
}

/**
 * Keys of a search with negatives under L2: less for a higher score, where the score is the similarity
 * 1 / (1 + distance) to query 0 less half the mean similarity to the others.
 */
function scoreJoined(count: u32): void {
  const one = f32x4.splat(1);
  const squareOfKey = f32x4.splat(quantized ? 2 : 1);
  for (let query: u32 = 0; query < joined; query++) {
    selectQuery(query);
    measure(count);
    const weight = f32x4.splat(query === 0 ? -1 : <f32>0.5 / <f32>(joined - 1));
    for (let i: u32 = 0; i < count << 2; i += 16) {
      const square = f32x4.max(f32x4.splat(0), f32x4.mul(v128.load(batchKeys + i), squareOfKey));
      const part = f32x4.div(weight, f32x4.add(one, f32x4.sqrt(square)));
      v128.store(batchScores + i, query === 0 ? part : f32x4.add(part, v128.load(batchScores + i)));
    }
  }
  memory.copy(batchKeys, batchScores, count << 2);
}

/** As `scoreBatch`, on the f32 vectors whatever the batch was put in for: its rows become those. */
export function scoreBatchExactly(count: u32): void {
  if (count === 0) return;
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(batchRows + (i << 2), <u32>vectorOf(slotInBatch(i)));
  }
  padBatch(count);
  touchRows(count, vectorBytes - 1);
  if (cosine) scoreCosine(0, count);
  else scoreEuclidean(0, count);
}

/** Fills the last group of four, whose surplus is computed and not read. */
function padBatch(count: u32): void {
  const lastRow = load<u32>(batchRows + ((count - 1) << 2));
  const lastSlot = load<u32>(batchSlots + ((count - 1) << 2));
  for (let i = count; i < ((count + 3) & ~3); i++) {
    store<u32>(batchRows + (i << 2), lastRow);
    store<u32>(batchSlots + (i << 2), lastSlot);
  }
}

function scoreQuantized(count: u32): void {
  const half4 = f32x4.splat(wideHalf);
  const scale4 = f32x4.splat(wideScale);
  const end = paddedDimension;
  for (let i: u32 = 0; i < count; i += 4) {
    const rows = batchRows + (i << 2);
    let a = <usize>load<u32>(rows);
    let b = <usize>load<u32>(rows, 4);
    let c = <usize>load<u32>(rows, 8);
    let d = <usize>load<u32>(rows, 12);
    let q = wide;
    let sumA = i32x4.splat(0);
    let sumB = i32x4.splat(0);
    let sumC = i32x4.splat(0);
    let sumD = i32x4.splat(0);
    for (const stop = a + end; a < stop; ) {
      const low = v128.load(q);
      const high = v128.load(q, 16);
      sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(low, v128.load_ext<i8>(a)));
      sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(low, v128.load_ext<i8>(b)));
      sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(low, v128.load_ext<i8>(c)));
      sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(low, v128.load_ext<i8>(d)));
      sumA = i32x4.add(sumA, i32x4.dot_i16x8_s(high, v128.load_ext<i8>(a, 8)));
      sumB = i32x4.add(sumB, i32x4.dot_i16x8_s(high, v128.load_ext<i8>(b, 8)));
      sumC = i32x4.add(sumC, i32x4.dot_i16x8_s(high, v128.load_ext<i8>(c, 8)));
      sumD = i32x4.add(sumD, i32x4.dot_i16x8_s(high, v128.load_ext<i8>(d, 8)));
      q += 32;
      a += 16;
      b += 16;
      c += 16;
      d += 16;
    }
    const ab = i32x4.add(
      v128.shuffle<i32>(sumA, sumB, 0, 4, 1, 5),
      v128.shuffle<i32>(sumA, sumB, 2, 6, 3, 7),
    );
    const cd = i32x4.add(
      v128.shuffle<i32>(sumC, sumD, 0, 4, 1, 5),
      v128.shuffle<i32>(sumC, sumD, 2, 6, 3, 7),
    );
    const dots = i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
    const factsAB = v128.shuffle<i32>(v128.load64_zero(a), v128.load64_zero(b), 0, 4, 1, 5);
    const factsCD = v128.shuffle<i32>(v128.load64_zero(c), v128.load64_zero(d), 0, 4, 1, 5);
    const scales = v128.shuffle<i32>(factsAB, factsCD, 0, 1, 4, 5);
    const halves = v128.shuffle<i32>(factsAB, factsCD, 2, 3, 6, 7);
    v128.store(
      batchKeys + (i << 2),
      f32x4.sub(f32x4.add(halves, half4), f32x4.mul(f32x4.mul(scales, scale4), f32x4.convert_i32x4_s(dots))),
    );
  }
}

/** Distances of four slots from their products with the query. */
function cosineKeys(slots: usize, products: v128): v128 {
  let norms = f32x4.splat(inverseNormOf(load<u32>(slots)));
  norms = f32x4.replace_lane(norms, 1, inverseNormOf(load<u32>(slots, 4)));
  norms = f32x4.replace_lane(norms, 2, inverseNormOf(load<u32>(slots, 8)));
  norms = f32x4.replace_lane(norms, 3, inverseNormOf(load<u32>(slots, 12)));
  return f32x4.sub(f32x4.splat(1), f32x4.mul(products, f32x4.mul(norms, f32x4.splat(inverse))));
}

function scoreCosine(first: u32, count: u32): void {
  for (let i = first; i < count; i += 4) {
    const rows = batchRows + (i << 2);
    const slots = batchSlots + (i << 2);
    let a = <usize>load<u32>(rows);
    let b = <usize>load<u32>(rows, 4);
    let c = <usize>load<u32>(rows, 8);
    let d = <usize>load<u32>(rows, 12);
    let q = queryVector;
    let sumA = f32x4.splat(0);
    let sumB = f32x4.splat(0);
    let sumC = f32x4.splat(0);
    let sumD = f32x4.splat(0);
    for (const stop = a + vectorBytes; a < stop; ) {
      const x = v128.load(q);
      sumA = f32x4.add(sumA, f32x4.mul(x, v128.load(a)));
      sumB = f32x4.add(sumB, f32x4.mul(x, v128.load(b)));
      sumC = f32x4.add(sumC, f32x4.mul(x, v128.load(c)));
      sumD = f32x4.add(sumD, f32x4.mul(x, v128.load(d)));
      q += 16;
      a += 16;
      b += 16;
      c += 16;
      d += 16;
    }
    const products = sumsOf(sumA, sumB, sumC, sumD);
    v128.store(batchKeys + (i << 2), cosineKeys(slots, products));
  }
}

function scoreEuclidean(first: u32, count: u32): void {
  for (let i = first; i < count; i += 4) {
    const rows = batchRows + (i << 2);
    let a = <usize>load<u32>(rows);
    let b = <usize>load<u32>(rows, 4);
    let c = <usize>load<u32>(rows, 8);
    let d = <usize>load<u32>(rows, 12);
    let q = queryVector;
    let sumA = f32x4.splat(0);
    let sumB = f32x4.splat(0);
    let sumC = f32x4.splat(0);
    let sumD = f32x4.splat(0);
    for (const stop = a + vectorBytes; a < stop; ) {
      const x = v128.load(q);
      const da = f32x4.sub(x, v128.load(a));
      const db = f32x4.sub(x, v128.load(b));
      const dc = f32x4.sub(x, v128.load(c));
      const dd = f32x4.sub(x, v128.load(d));
      sumA = f32x4.add(sumA, f32x4.mul(da, da));
      sumB = f32x4.add(sumB, f32x4.mul(db, db));
      sumC = f32x4.add(sumC, f32x4.mul(dc, dc));
      sumD = f32x4.add(sumD, f32x4.mul(dd, dd));
      q += 16;
      a += 16;
      b += 16;
      c += 16;
      d += 16;
    }
    v128.store(batchKeys + (i << 2), sumsOf(sumA, sumB, sumC, sumD));
  }
}
