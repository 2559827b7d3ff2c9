/**
 * Scans where nearly all slots in a row are allowed: rows are measured as they lie in memory, in four places far from
 * one another, so that the processor reads on ahead in each. Neighbours, measured side by side, look to it like no
 * order at all. Called by scan, while nothing is in the batch.
 */
import { batchRows, batchSlots, keyInBatch, keysInBatch, putInBatch, scoreBatch, slotInBatch } from "./batch";
import { allows } from "./filtered-walk";
import { take } from "./memory";
import { entryOf } from "./pool";
import { takeScanned, worstScanned } from "./scanned";
import { quantized, rowBytes, vectorBytes } from "./slots";

/** Slots of a run, as many as a word has bits: they lie in one segment. */
const RUN: u32 = 32;

/** Runs gathered before they are measured, a quarter of them in each place: it goes on for a thousand rows. */
export const RUNS: u32 = 128;

/** Which words of bits. */
let words: usize = 0;

/** False if memory has run out. */
export function layOutRuns(): bool {
  words = take(RUNS * 4);
  return words !== 0;
}

/** Puts the slots of a word of bits among those to be measured. */
export function putRun(index: u32, word: u32): void {
  store<u32>(words + (index << 2), word);
}

export function wordOfRun(index: u32): u32 {
  return load<u32>(words + (index << 2));
}

/** Measures what is allowed of the first `count` runs, but for the last `count` modulo 4. */
export function scanRuns(count: u32, bits: usize, most: u32): void {
  const stride = count >> 2;
  for (let i: u32 = 0; i < stride; i++) {
    for (let place: u32 = 0; place < 4; place++) putInBatch(place, wordOfRun(i + stride * place) * RUN);
    goOn();
    scoreBatch(RUN * 4);
    takeNearest(bits, most);
  }
}

/** Puts all of the four runs in the batch whose first slots are there: the first of each, then the second. */
function goOn(): void {
  const step = i32x4.splat(quantized ? rowBytes : vectorBytes);
  const one = i32x4.splat(1);
  let rows = v128.load(batchRows);
  let slots = v128.load(batchSlots);
  for (let at: u32 = 16; at < RUN * 16; at += 16) {
    rows = i32x4.add(rows, step);
    slots = i32x4.add(slots, one);
    v128.store(batchRows + at, rows);
    v128.store(batchSlots + at, slots);
  }
}

/** Most keys are above those found, which is asked of four at a time. */
function takeNearest(bits: usize, most: u32): void {
  let worst = f32x4.splat(worstScanned(most));
  for (let i: u32 = 0; i < RUN * 4; i += 4) {
    if (i32x4.all_true(f32x4.gt(keysInBatch(i), worst))) continue;
    for (let at = i; at < i + 4; at++) {
      const slot = slotInBatch(at);
      if (allows(bits, slot)) takeScanned(entryOf(keyInBatch(at), slot), most);
    }
    worst = f32x4.splat(worstScanned(most));
  }
}
