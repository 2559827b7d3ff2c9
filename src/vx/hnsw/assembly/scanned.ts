/**
 * What a scan has found so far. Few are kept in order, as in all of `found`; many are a heap, the farthest first, until the
 * scan ends, since each that comes in would move half of those in order. Called by scans.
 */
import { found, foundSize, keepFound, takeFound, worstFound } from "./found";
import { entryAt, keyOf } from "./pool";

const MOST_IN_ORDER: u32 = 256;

/** No key above this is taken among the `most` found. */
export function worstScanned(most: u32): f32 {
  return most <= MOST_IN_ORDER || foundSize < most ? worstFound(most) : keyOf(entryAt(found, 0));
}

/** Puts a measured slot among the `most` found. */
export function takeScanned(entry: u64, most: u32): void {
  if (most <= MOST_IN_ORDER) {
    takeFound(entry, most);
  } else if (foundSize < most) {
    put(foundSize, entry);
    keepFound(foundSize + 1);
    if (foundSize === most) makeHeap();
  } else if (entry < entryAt(found, 0)) sink(entry, 0, most);
}

/** Ends a scan: what was found is in order from here on. */
export function sortScanned(most: u32): void {
  if (most <= MOST_IN_ORDER) return;
  if (foundSize < most) makeHeap();
  for (let last = foundSize; last-- > 1; ) {
    const entry = entryAt(found, last);
    put(last, entryAt(found, 0));
    sink(entry, 0, last);
  }
}

function makeHeap(): void {
  for (let at = foundSize >> 1; at-- > 0; ) sink(entryAt(found, at), at, foundSize);
}

/** Puts an entry at `at` in a heap of `size`, or below it in place of those that are farther. */
function sink(entry: u64, at: u32, size: u32): void {
  for (;;) {
    let below = at * 2 + 1;
    if (below >= size) break;
    if (below + 1 < size && entryAt(found, below + 1) > entryAt(found, below)) below++;
    if (entryAt(found, below) <= entry) break;
    put(at, entryAt(found, below));
    at = below;
  }
  put(at, entry);
}

function put(at: u32, entry: u64): void {
  store<u64>(found + ((<usize>at) << 3), entry);
}
