/**
 * What distances are measured from: a vector given at full precision (16 bits a number for the int8 walk), or a
 * slot's own row; for a search with negatives under L2, several at once. Called by search, linking and scoring.
 */
import { grownTo, take } from "./memory";
import { fromOrigin } from "./origin";
import { input, largestOf, lengthen, rounded, squareOf } from "./rows";
import { cosine, inverseNormOf, paddedDimension, quantized, rowOf, vectorBytes, vectorOf } from "./slots";

/**
 * Inverse norm beyond which a vector is lengthened to be asked with under cosine. The product of two short vectors is
 * less than f32 holds and that of their inverse norms more, so that a key made of them would be no number; twice any
 * inverse norm is in f32.
 */
const MOST_INVERSE: f32 = 2;

/** The row form: 16-bit numbers, what one of them stands for, and half the squared norm. */
export let wide: usize = 0;
export let wideScale: f32 = 0;
export let wideHalf: f32 = 0;
/** The f32 form, lengthened where it was short under cosine, its inverse norm there and its squared norm. */
export let vector: usize = 0;
export let inverse: f32 = 1;
let square: f64 = 0;
/** Below this two slots count as the same vector. */
export let twinKey: f32 = 0;

/** How many asked queries are joined into one score; 0 for an ordinary search. */
export let joined: u32 = 0;

let widest: f32 = 0;
/** The form of a slot that candidates are measured from: the row form or, without rows, the f32 form. */
let candidate: usize = 0;
let asked: usize = 0;
let askedCapacity: u32 = 0;

/** An asked query in memory: the f32 form, the wide form, then f32 scale, half and inverse, then f64 square. */
function askedBytes(): u32 {
  return paddedDimension * 6 + 32;
}

/** Room for `count` asked queries. False if memory has run out. */
export function reserveQueries(count: u32): bool {
  if (candidate === 0) {
    candidate = take(<u64>paddedDimension * (quantized ? 2 : 4));
    // The sum of 16-bit times 8-bit products must stay inside 32 bits.
    widest = <f32>Math.min(32767, Math.floor(2147483647.0 / (127.0 * <f64>paddedDimension)));
  }
  if (askedCapacity < count) {
    const next = take(<u64>grownTo(askedCapacity, count) * askedBytes());
    if (next === 0) return false;
    asked = next;
    askedCapacity = grownTo(askedCapacity, count);
  }
  return candidate !== 0;
}

/** Makes the vector in the input query number `index`, and the current one. */
export function askInput(index: u32): void {
  const at = asked + <usize>index * askedBytes();
  const numbers = at + paddedDimension * 4;
  const facts = numbers + paddedDimension * 2;
  memory.copy(at, input, paddedDimension << 2);
  let squared = squareOf(at);
  let inverted: f32 = cosine ? <f32>(1.0 / Math.sqrt(squared)) : 1;
  if (inverted > MOST_INVERSE) {
    inverted = lengthen(at, inverted);
    squared = squareOf(at);
  }
  const measured = quantized ? fromOrigin(at) : at;
  const largest = largestOf(measured);
  let stretch: f32 = widest / largest;
  if (!(stretch < f32.MAX_VALUE)) stretch = 0;
  const stretch4 = f32x4.splat(stretch);
  for (let i: u32 = 0; i < paddedDimension; i += 8) {
    v128.store(numbers + (i << 1), rounded(measured + (i << 2), stretch4));
  }
  store<f32>(facts, stretch === 0 ? 0 : (largest / widest) * inverted);
  store<f32>(facts, cosine ? 0.5 : <f32>(0.5 * (measured === at ? squared : squareOf(measured))), 4);
  store<f32>(facts, inverted, 8);
  store<f64>(facts, squared, 16);
  selectQuery(index);
}

/** Makes an asked query the current one. */
export function selectQuery(index: u32): void {
  vector = asked + <usize>index * askedBytes();
  wide = vector + paddedDimension * 4;
  const facts = wide + paddedDimension * 2;
  wideScale = load<f32>(facts);
  wideHalf = load<f32>(facts, 4);
  inverse = load<f32>(facts, 8);
  square = load<f64>(facts, 16);
}

/** Scores from now on join the first `count` asked queries; 0 ends it. */
export function joinQueries(count: u32): void {
  joined = count;
}

/** Makes a slot's own row the query: for linking, where both ends must be measured alike. */
export function askSlot(slot: u32): void {
  askRow(slot, quantized ? asked + paddedDimension * 4 : asked);
  // What rounding in f32 leaves of a distance of nought.
  twinKey = quantized ? wideHalf * 1e-6 : cosine ? 1e-6 : 0;
}

/** As `askSlot`, for distances among candidates. */
export function askCandidate(slot: u32): void {
  askRow(slot, candidate);
}

function askRow(slot: u32, place: usize): void {
  if (!quantized) {
    vector = vectorOf(slot);
    inverse = cosine ? inverseNormOf(slot) : 1;
    if (inverse <= MOST_INVERSE) return;
    memory.copy(place, vector, vectorBytes);
    inverse = lengthen(place, inverse);
    vector = place;
    return;
  }
  const row = rowOf(slot);
  for (let i: u32 = 0; i < paddedDimension; i += 8) {
    v128.store(place + (i << 1), v128.load_ext<i8>(row + i));
  }
  wide = place;
  wideScale = load<f32>(row + paddedDimension);
  wideHalf = load<f32>(row + paddedDimension + 4);
}

/** The distance as the caller sees it, in double precision: 1 - cosine similarity, or Euclidean. */
export function finalDistance(slot: u32): f64 {
  const other = vectorOf(slot);
  let dots = f64x2.splat(0);
  let squares = f64x2.splat(0);
  for (let i: u32 = 0; i < vectorBytes; i += 16) {
    const x = v128.load(vector + i);
    const y = v128.load(other + i);
    const xLow = f64x2.promote_low_f32x4(x);
    const yLow = f64x2.promote_low_f32x4(y);
    const xHigh = f64x2.promote_low_f32x4(v128.shuffle<i64>(x, x, 1, 0));
    const yHigh = f64x2.promote_low_f32x4(v128.shuffle<i64>(y, y, 1, 0));
    if (cosine) {
      dots = f64x2.add(dots, f64x2.add(f64x2.mul(xLow, yLow), f64x2.mul(xHigh, yHigh)));
      squares = f64x2.add(squares, f64x2.add(f64x2.mul(yLow, yLow), f64x2.mul(yHigh, yHigh)));
    } else {
      const low = f64x2.sub(xLow, yLow);
      const high = f64x2.sub(xHigh, yHigh);
      squares = f64x2.add(squares, f64x2.add(f64x2.mul(low, low), f64x2.mul(high, high)));
    }
  }
  const sum = f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1);
  if (!cosine) return Math.sqrt(sum);
  const dot = f64x2.extract_lane(dots, 0) + f64x2.extract_lane(dots, 1);
  return Math.max(0, Math.min(2, 1 - dot / Math.sqrt(sum * square)));
}
