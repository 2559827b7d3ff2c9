/**
 * Vectors on their way in: checked, stored as given in f32, and from that the inverse norm and the int8 row.
 * Called by the kernel's add and by opening a snapshot, which stores f32 vectors alone.
 *
 * An int8 row carries its scale and half the squared norm of what it decodes to; under cosine it decodes to the
 * unit vector. So a distance is exactly the one to the decoded row, and its error shrinks with the distance.
 */
import { take } from "./memory";
import { fromOrigin, layOutOrigin } from "./origin";
import {
  cosine,
  dimension,
  paddedDimension,
  quantized,
  rowOf,
  setInverseNorm,
  vectorBytes,
  vectorOf,
} from "./slots";

/** The bits of 2^54, of which 65,536 have a squared norm that f32 holds. */
const SURELY_VALID_BITS: u32 = 0x5a800000;
/** Magnitude that 127 can be divided by in f32. A vector without one as large is lengthened for its int8 row under cosine. */
const LEAST_MAGNITUDE: f32 = 1e-36;
/** Of an f32: what is left is the power of two. */
const EXPONENT_BITS: u32 = 0x7f800000;

/** Where the host puts a vector; what lies behind its last number up to the padded dimension stays 0. */
export let input: usize = 0;
/** The last numbers of a vector whose int8 row is longer; behind them it stays 0. */
let tail: usize = 0;
/** A vector that is lengthened. */
let longer: usize = 0;

/** False if memory has run out. */
export function layOutInput(): bool {
  input = take(<u64>paddedDimension * 4);
  tail = take(64);
  longer = take(vectorBytes);
  return input !== 0 && tail !== 0 && longer !== 0 && layOutOrigin();
}

/** Squared norm of a vector whose padding is 0. */
export function squareOf(vector: usize): f64 {
  // Four sums, for an addition waits for the one before it.
  let first = f64x2.splat(0);
  let second = f64x2.splat(0);
  let third = f64x2.splat(0);
  let fourth = f64x2.splat(0);
  const end = vector + vectorBytes;
  for (; vector + 32 <= end; vector += 32) {
    const even = v128.load(vector);
    const odd = v128.load(vector, 16);
    first = f64x2.add(first, lowSquares(even));
    second = f64x2.add(second, highSquares(even));
    third = f64x2.add(third, lowSquares(odd));
    fourth = f64x2.add(fourth, highSquares(odd));
  }
  if (vector < end) {
    const even = v128.load(vector);
    first = f64x2.add(first, lowSquares(even));
    second = f64x2.add(second, highSquares(even));
  }
  const sum = f64x2.add(f64x2.add(first, second), f64x2.add(third, fourth));
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

function lowSquares(numbers: v128): v128 {
  const two = f64x2.promote_low_f32x4(numbers);
  return f64x2.mul(two, two);
}

function highSquares(numbers: v128): v128 {
  return lowSquares(v128.shuffle<i64>(numbers, numbers, 1, 0));
}

/** Whether the numbers are finite, with a norm that f32 can hold, and a direction where one is needed. */
export function isValid(vector: usize): bool {
  return isValidSquare(squareOf(vector));
}

/** As `isValid`, of the squared norm. */
export function isValidSquare(square: f64): bool {
  if (!(square <= <f64>f32.MAX_VALUE)) return false;
  return !cosine || square > 1e-76;
}

/** Whether a vector whose largest magnitude that is needs no look at its sum of squares. */
export function isSurelyValid(largest: f32): bool {
  return reinterpret<u32>(largest) <= SURELY_VALID_BITS;
}

/** The largest magnitude in a vector: infinity or NaN if any number is. */
export function largestOf(vector: usize): f32 {
  // Without their sign, floats have the order of their bits, in which infinity and NaN come last.
  const magnitude = i32x4.splat(0x7fffffff);
  let even = i32x4.splat(0);
  let odd = i32x4.splat(0);
  const end = vector + vectorBytes;
  for (; vector + 32 <= end; vector += 32) {
    even = i32x4.max_u(even, v128.and(v128.load(vector), magnitude));
    odd = i32x4.max_u(odd, v128.and(v128.load(vector, 16), magnitude));
  }
  if (vector < end) even = i32x4.max_u(even, v128.and(v128.load(vector), magnitude));
  const four = i32x4.max_u(even, odd);
  const two = i32x4.max_u(four, v128.shuffle<i32>(four, four, 2, 3, 0, 1));
  return reinterpret<f32>(max(i32x4.extract_lane(two, 0), i32x4.extract_lane(two, 1)));
}

/** Eight numbers times `stretch`, rounded to integers; they must come to less than 2^15. */
export function rounded(numbers: usize, stretch: v128): v128 {
  // Added to 1.5 * 2^23, a number's fraction is rounded away and what is left are its low bits.
  const anchor = f32x4.splat(12582912);
  return v128.shuffle<i16>(
    f32x4.add(f32x4.mul(v128.load(numbers), stretch), anchor),
    f32x4.add(f32x4.mul(v128.load(numbers, 16), stretch), anchor),
    0,
    2,
    4,
    6,
    8,
    10,
    12,
    14,
  );
}

/** What one of the numbers in a slot's int8 row stands for. */
export function scaleOf(slot: u32): f32 {
  return load<f32>(rowOf(slot) + paddedDimension);
}

/** Stores the vector in `input` as the slot's f32 vector, then what follows from it. */
export function storeVector(slot: u32): void {
  const vector = vectorOf(slot);
  memory.copy(vector, input, dimension << 2);
  memory.fill(vector + (dimension << 2), 0, vectorBytes - (dimension << 2));
  deriveRow(slot, cosine ? squareOf(vector) : 0, quantized ? largestOf(vector) : 0);
}

/** Norm and int8 row from the slot's f32 vector, of it under cosine the squared norm, and for a row the largest magnitude. */
export function deriveRow(slot: u32, square: f64, largest: f32): void {
  const vector = vectorOf(slot);
  const inverse: f32 = cosine ? <f32>(1.0 / Math.sqrt(square)) : 1;
  if (cosine) setInverseNorm(slot, inverse);
  if (!quantized) return;
  if (!cosine) {
    const measured = fromOrigin(vector);
    putRow(slot, measured, measured === vector ? largest : largestOf(measured), inverse);
  } else if (largest < LEAST_MAGNITUDE) {
    memory.copy(longer, vector, vectorBytes);
    const inverseOfLonger = lengthen(longer, inverse);
    putRow(slot, longer, largestOf(longer), inverseOfLonger);
  } else putRow(slot, vector, largest, inverse);
}

/** Lengthens a vector by a power of two, which costs it no precision; gives its inverse norm then, of 1 to 2. */
export function lengthen(vector: usize, inverseNorm: f32): f32 {
  const factor = reinterpret<f32>(reinterpret<u32>(inverseNorm) & EXPONENT_BITS);
  const factor4 = f32x4.splat(factor);
  for (let at = vector; at < vector + vectorBytes; at += 16) {
    v128.store(at, f32x4.mul(v128.load(at), factor4));
  }
  return inverseNorm / factor;
}

function putRow(slot: u32, vector: usize, largest: f32, inverse: f32): void {
  let stretch: f32 = 127 / largest;
  if (!(stretch < f32.MAX_VALUE)) stretch = 0;
  const row = rowOf(slot);
  const stretch4 = f32x4.splat(stretch);
  let squares = i32x4.splat(0);
  const whole = vectorBytes & ~63;
  for (let i: u32 = 0; i < whole; i += 64) {
    squares = i32x4.add(squares, putSixteen(row + (i >> 2), vector + i, stretch4));
  }
  if (whole !== vectorBytes) {
    for (let i = whole; i < vectorBytes; i += 16) v128.store(tail + (i - whole), v128.load(vector + i));
    squares = i32x4.add(squares, putSixteen(row + (whole >> 2), tail, stretch4));
  }
  const pairs = i32x4.add(squares, v128.shuffle<i32>(squares, squares, 2, 3, 0, 1));
  // The longest row's sum stays below 2^28.
  const sum = <f64>(i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1));
  const scale: f32 = (largest / 127) * inverse;
  store<f32>(row + paddedDimension, stretch === 0 ? 0 : scale);
  store<f32>(row + paddedDimension + 4, <f32>(0.5 * <f64>scale * <f64>scale * sum));
}

/** Sixteen numbers of a row; gives the sums of their squares. */
function putSixteen(row: usize, numbers: usize, stretch: v128): v128 {
  const low = rounded(numbers, stretch);
  const high = rounded(numbers + 32, stretch);
  v128.store(row, i8x16.narrow_i16x8_s(low, high));
  return i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high));
}
