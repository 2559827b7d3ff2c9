/**
 * Scans: every slot that a set of bits allows is measured. Called by searches where that is cheaper than a walk,
 * or where a walk found too little.
 */
import {
  keyInBatch,
  putInBatch,
  scoreBatch,
  scoreLongRows,
  slotInBatch,
  spreadBatch,
  touchBatch,
} from "./batch";
import { forgetFound, takeFound } from "./found";
import { entryOf } from "./pool";
import { joined } from "./query";
import { quantized, rowBytes, slotCount, vectorBytes } from "./slots";

/** Slots gathered before they are measured: enough to keep memory busy, few enough to stay in the cache. */
const GATHERED: u32 = 32;

/** Longer rows are not asked for first: by the time they are measured they would have left the nearest cache (+39 % at 6 KB). */
const LONGEST_TOUCHED_BYTES: u32 = 1024;

/** Gathered of rows that are read on in eight places: each goes on for at least eight rows. */
const GATHERED_IN_LINE: u32 = 64;

/** Of rows that follow one another more closely than this, the processor has the next before they are asked for. */
const DENSE_STEP: u32 = 2;

/** Shorter rows that follow one another come as fast in one place as in eight. */
const LEAST_SPREAD_BYTES: u32 = 384;

/** Measures every allowed slot and finds the `most` nearest. */
export function scan(bits: usize, most: u32): void {
  forgetFound();
  const isLong = (quantized ? rowBytes : vectorBytes) > LONGEST_TOUCHED_BYTES;
  let count: u32 = 0;
  for (let word: u32 = 0; word < (slotCount + 31) >> 5; word++) {
    let set = load<u32>(bits + (word << 2));
    while (set !== 0) {
      putInBatch(count++, (word << 5) + ctz<u32>(set));
      set &= set - 1;
    }
    if (count < GATHERED) continue;
    const isInLine = isLong || isDense(count);
    if (isInLine && count < GATHERED_IN_LINE) continue;
    scanBatch(count, most, isLong, isInLine);
    count = 0;
  }
  if (count > 0) scanBatch(count, most, isLong, isLong || isDense(count));
}

function isDense(count: u32): bool {
  return slotInBatch(count - 1) - slotInBatch(0) < count * DENSE_STEP;
}

function scanBatch(count: u32, most: u32, isLong: bool, isInLine: bool): void {
  const isSpread = isLong || (isInLine && !quantized && vectorBytes >= LEAST_SPREAD_BYTES);
  if (isSpread) spreadBatch(count);
  else if (!isInLine) touchBatch(count);
  if (isSpread && !quantized && joined === 0) scoreLongRows(count);
  else scoreBatch(count);
  for (let i: u32 = 0; i < count; i++) takeFound(entryOf(keyInBatch(i), slotInBatch(i)), most);
}
