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

/** Gathered of such rows: each of the eight places they are read at goes on for at least eight rows. */
const GATHERED_LONG: u32 = 64;

/** Measures every allowed slot and finds the `most` nearest. */
export function scan(bits: usize, most: u32): void {
  forgetFound();
  const isLong = (quantized ? rowBytes : vectorBytes) > LONGEST_TOUCHED_BYTES;
  const gathered = isLong ? GATHERED_LONG : GATHERED;
  let count: u32 = 0;
  for (let word: u32 = 0; word < (slotCount + 31) >> 5; word++) {
    let set = load<u32>(bits + (word << 2));
    while (set !== 0) {
      putInBatch(count++, (word << 5) + ctz<u32>(set));
      set &= set - 1;
    }
    if (count >= gathered) {
      scanBatch(count, most, isLong);
      count = 0;
    }
  }
  scanBatch(count, most, isLong);
}

function scanBatch(count: u32, most: u32, isLong: bool): void {
  if (isLong) spreadBatch(count);
  else touchBatch(count);
  if (isLong && !quantized && joined === 0) scoreLongRows(count);
  else scoreBatch(count);
  for (let i: u32 = 0; i < count; i++) takeFound(entryOf(keyInBatch(i), slotInBatch(i)), most);
}
