/**
 * Where int8 rows are measured from under L2. Vectors that lie farther from nought than from one another leave a row
 * few of its 127 steps to tell them apart, so rows hold vectors less an origin, where that makes them half as long:
 * distances are what they were. Looked for again and again, for what comes may lie elsewhere than what was there, and
 * when a state is opened; nothing stored depends on it. Called by place, state and removal; rows and query measure from
 * it.
 */
import { take } from "./memory";
import { mix } from "./mix";
import { deriveRow, largestOf, squareOf } from "./rows";
import {
  cosine,
  dimension,
  FREE,
  LIVE,
  liveCount,
  paddedDimension,
  quantized,
  slotCount,
  stateOf,
  vectorBytes,
  vectorOf,
} from "./slots";

/** Vectors looked at, from all over. */
const SAMPLE: u32 = 63;
/** The median by dimension of one in so many of these is the origin: off by a quarter of what they scatter. */
const SAMPLE_TO_MEDIAN: u32 = 3;
/** Vectors put in between two looks: so many at least, and of those that are there a fourth. */
const LEAST_BETWEEN: u32 = 32;
const SHARE_BETWEEN: u32 = 4;
/** By how much two in three must become shorter: making all rows anew is to be rare, also where half lies elsewhere. */
const LEAST_GAIN: f32 = 2;
/** Squared length: what is added to the longest vector that f32 holds by less is hardly longer. */
const LONGEST_SQUARE: f64 = 1e30;

/** f32 numbers as a vector's; 0 while it is nought. */
export let origin: usize = 0;
/** Where they are kept. */
let kept: usize = 0;
/** Room for the next one, and for a vector less the origin; behind the last number it stays 0. */
let next: usize = 0;
let moved: usize = 0;
/** Slots looked at, and numbers to be sorted. */
let sample: usize = 0;
let sorted: usize = 0;

/** Vectors put in since the last look. */
let placed: u32 = 0;

/** False if memory has run out. */
export function layOutOrigin(): bool {
  if (cosine || !quantized) return true;
  kept = take(<u64>paddedDimension * 4);
  moved = take(<u64>paddedDimension * 4);
  next = take(<u64>paddedDimension * 4);
  sample = take(SAMPLE * 4);
  sorted = take(SAMPLE * 4);
  return kept !== 0 && moved !== 0 && next !== 0 && sample !== 0 && sorted !== 0;
}

/** The vector as it is measured, until the next call. */
export function fromOrigin(vector: usize): usize {
  return origin === 0 ? vector : less(vector, origin);
}

function less(vector: usize, from: usize): usize {
  for (let i: u32 = 0; i < vectorBytes; i += 16) {
    v128.store(moved + i, f32x4.sub(v128.load(vector + i), v128.load(from + i)));
  }
  return moved;
}

/** Takes over the origin of another thread. */
export function setOrigin(at: usize): void {
  origin = at;
}

/** A vector was put in. */
export function notePlaced(): void {
  placed++;
  if (placed >= max(LEAST_BETWEEN, liveCount / SHARE_BETWEEN)) lookForOrigin();
}

/** A state was taken over. */
export function noteOpened(): void {
  if (liveCount >= LEAST_BETWEEN) lookForOrigin();
}

/** Nothing is there any more. */
export function forgetOrigin(): void {
  origin = 0;
  placed = 0;
}

function lookForOrigin(): void {
  placed = 0;
  if (cosine || !quantized) return;
  const count = takeSample();
  if (count === 0) return;
  for (let i: u32 = 0; i < dimension; i++) {
    let size: u32 = 0;
    for (let j: u32 = 0; j < count; j += SAMPLE_TO_MEDIAN) {
      put(size++, load<f32>(vectorOf(load<u32>(sample + (j << 2))) + (i << 2)));
    }
    store<f32>(next + (i << 2), load<f32>(sorted + ((size >> 1) << 2)));
  }
  // One of the first few is left where nought serves all that came since as well.
  const here = lengthFrom(0, count) <= lengthFrom(origin, count) ? 0 : origin;
  const isNearer = lengthFrom(next, count) * LEAST_GAIN < lengthFrom(here, count);
  if (isNearer && squareOf(next) <= LONGEST_SQUARE) moveToNext();
  else if (here !== origin) moveTo(here);
}

function moveToNext(): void {
  memory.copy(kept, next, vectorBytes);
  moveTo(kept);
}

/** Makes all rows anew. */
function moveTo(place: usize): void {
  origin = place;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (stateOf(slot) !== FREE) deriveRow(slot, 0, largestOf(vectorOf(slot)));
  }
}

/** Live slots from all over, at uneven steps: what comes in turn is met as often as it is there. Gives how many. */
function takeSample(): u32 {
  const step = max<u32>((slotCount + SAMPLE - 1) / SAMPLE, 1);
  let count: u32 = 0;
  for (let from: u32 = 0; from < slotCount; from += step) {
    const room = min(step, slotCount - from);
    const first = <u32>(mix(from) % room);
    for (let i: u32 = 0; i < room; i++) {
      const slot = from + ((first + i) % room);
      if (stateOf(slot) !== LIVE) continue;
      store<u32>(sample + (count++ << 2), slot);
      break;
    }
  }
  return count;
}

/** What two in three of the largest magnitudes are below, measured from there. */
function lengthFrom(place: usize, count: u32): f32 {
  for (let j: u32 = 0; j < count; j++) {
    const vector = vectorOf(load<u32>(sample + (j << 2)));
    put(j, largestOf(place === 0 ? vector : less(vector, place)));
  }
  return load<f32>(sorted + (((count * 2) / 3) << 2));
}

/** Puts a number in its place among the `count` that are sorted. */
function put(count: u32, number: f32): void {
  let at = sorted + (count << 2);
  for (; at > sorted && load<f32>(at - 4) > number; at -= 4) store<f32>(at, load<f32>(at - 4));
  store<f32>(at, number);
}
