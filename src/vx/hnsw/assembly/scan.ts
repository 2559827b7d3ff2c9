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
import { forgetFound } from "./found";
import { entryOf } from "./pool";
import { joined } from "./query";
import { putRun, RUNS, scanRuns, wordOfRun } from "./runs";
import { sortScanned, takeScanned } from "./scanned";
import { quantized, rowBytes, slotCount, vectorBytes } from "./slots";

/** Slots gathered before they are measured: enough to keep memory busy, few enough to stay in the cache. */
const GATHERED: u32 = 32;

/** Longer rows are not asked for first: by the time they are measured they would have left the nearest cache (+39 % at 6 KB). */
const LONGEST_TOUCHED_BYTES: u32 = 1024;

/** Gathered of rows that are read on in eight places: each goes on for at least eight rows. */
const GATHERED_LONG: u32 = 64;

/** Of a word's slots, how many are allowed where it is faster to measure all. */
const LEAST_IN_RUN: u32 = 24;

/** Measures every allowed slot and finds the `most` nearest. */
export function scan(bits: usize, most: u32): void {
  forgetFound();
  const gathered = isLong() ? GATHERED_LONG : GATHERED;
  let runs: u32 = 0;
  let count: u32 = 0;
  for (let word: u32 = 0; word < (slotCount + 31) >> 5; word++) {
    if (popcnt<u32>(load<u32>(bits + (word << 2))) >= LEAST_IN_RUN) putRun(runs++, word);
    else count = gather(bits, word, count);
    if (count >= gathered || runs === RUNS) {
      scanBatch(count, most);
      count = 0;
    }
    if (runs === RUNS) {
      scanRuns(runs, bits, most);
      runs = 0;
    }
  }
  scanBatch(count, most);
  scanRuns(runs, bits, most);
  count = 0;
  for (let i = runs & ~3; i < runs; i++) count = gather(bits, wordOfRun(i), count);
  scanBatch(count, most);
  sortScanned(most);
}

function isLong(): bool {
  return (quantized ? rowBytes : vectorBytes) > LONGEST_TOUCHED_BYTES;
}

/** Puts what is allowed of a word's slots in the batch, behind `count`. Gives how many are there then. */
function gather(bits: usize, word: u32, count: u32): u32 {
  let set = load<u32>(bits + (word << 2));
  while (set !== 0) {
    putInBatch(count++, (word << 5) + ctz<u32>(set));
    set &= set - 1;
  }
  return count;
}

function scanBatch(count: u32, most: u32): void {
  if (isLong()) spreadBatch(count);
  else touchBatch(count);
  if (isLong() && !quantized && joined === 0) scoreLongRows(count);
  else scoreBatch(count);
  for (let i: u32 = 0; i < count; i++) takeScanned(entryOf(keyInBatch(i), slotInBatch(i)), most);
}
