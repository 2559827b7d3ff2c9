/**
 * What a search has found so far: slots with their keys, sorted, nearest first. Filled by scans (of many in an order of their
 * own, see scanned), filtered walks and searches; read by ranking.
 */
import { grownTo } from "./memory";
import { entryAt, insertEntry, keyOf, placeOfEntry, takePool } from "./pool";

export let found: usize = 0;
export let foundSize: u32 = 0;
let foundCapacity: u32 = 0;

/** Room for `capacity` found. False if memory has run out. */
export function reserveFound(capacity: u32): bool {
  if (capacity <= foundCapacity) return true;
  const next = takePool(grownTo(foundCapacity, capacity));
  if (next === 0) return false;
  found = next;
  foundCapacity = grownTo(foundCapacity, capacity);
  return true;
}

export function forgetFound(): void {
  foundSize = 0;
}

/** Keeps the first `size` found. */
export function keepFound(size: u32): void {
  foundSize = size;
}

/** No key above this is taken among the `most` found. */
export function worstFound(most: u32): f32 {
  return foundSize < most ? Infinity : keyOf(entryAt(found, most - 1));
}

/** Puts a measured slot among the `most` found. */
export function takeFound(entry: u64, most: u32): void {
  if (foundSize === most) {
    if (entry >= entryAt(found, most - 1)) return;
    insertEntry(found, most - 1, entry);
  } else {
    insertEntry(found, foundSize, entry);
    foundSize++;
  }
}

/** As `takeFound`, of a slot that may be there. */
export function takeFoundOnce(entry: u64, most: u32): void {
  const place = placeOfEntry(found, foundSize, entry);
  if (place === foundSize || entryAt(found, place) !== entry) takeFound(entry, most);
}
