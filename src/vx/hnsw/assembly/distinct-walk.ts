/**
 * Walks where many vectors are equal. At one place there may be more of them than a walk has candidates: then all candidates are
 * equal, and it ends at the first place that it meets. Here equal ones stand for one place, of which a few are expanded. They are
 * told by their keys, which are equal to the bit. Called by search and insert where a walk has ended so.
 */
import { keyInBatch, slotInBatch } from "./batch";
import { allows } from "./filtered-walk";
import { takeFoundOnce } from "./found";
import { entryAt, entryOf, insertEntry, placeOfEntry, setExpanded } from "./pool";
import { expandSome, keepPool, nextFrom, pool, poolSize } from "./walk";

/** A walk is mired where of so many candidates all but one are equal to others. */
const MIRED: u32 = 8;
/** Of equal candidates so many are expanded: the links of more lead to the same. */
const MOST_EXPANDED: u32 = 2;

/** Different keys in the pool. */
let places: u32 = 0;

/** Whether the sorted entries are of few places. */
export function areMostlyEqual(entries: usize, count: u32): bool {
  return count > 1 && placesOf(entries, count) * MIRED <= count;
}

function placesOf(entries: usize, count: u32): u32 {
  let different: u32 = min(count, 1);
  for (let i: u32 = 1; i < count; i++) {
    different += <u32>!haveEqualKeys(entryAt(entries, i - 1), entryAt(entries, i));
  }
  return different;
}

/**
 * From what the pool holds, walks on until candidates of the `most` nearest places have been expanded. The pool holds up to
 * `width`, of each place up to `each`.
 */
export function walkDistinct(level: u32, most: u32, width: u32, each: u32): void {
  collectDistinct(level, most, width, each, 0, 0);
}

/** As `walkDistinct`; puts what `bits` allows of all that is met in `found`, up to `finds`. */
export function collectDistinct(level: u32, most: u32, width: u32, each: u32, bits: usize, finds: u32): void {
  places = placesOf(pool, poolSize);
  let cursor: u32 = 0;
  while (cursor < poolSize) {
    const count = expandSome(cursor, level);
    for (let i: u32 = 0; i < count && finds > 0; i++) {
      if (allows(bits, slotInBatch(i))) takeFoundOnce(entryOf(keyInBatch(i), slotInBatch(i)), finds);
    }
    cursor = nextFrom(cursor, takeDistinct(count, most, width, each));
  }
}

/** Puts the measured batch in the pool; gives the first place that changed. */
function takeDistinct(count: u32, most: u32, width: u32, each: u32): u32 {
  let first = poolSize;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(keyInBatch(i), slotInBatch(i));
    const isFull = places >= most || poolSize === width;
    if (isFull && entry >= entryAt(pool, poolSize - 1)) continue;
    const start = placeOfEntry(pool, poolSize, entryOf(keyInBatch(i), 0));
    if (isEqualAt(start + each - 1, entry)) continue;
    if (poolSize === width) dropLast();
    places += <u32>!isEqualAt(start, entry);
    const isExpanded = isEqualAt(start + MOST_EXPANDED - 1, entry);
    const place = insertEntry(pool, poolSize, entry);
    keepPool(poolSize + 1);
    if (isExpanded) setExpanded(pool, place);
    while (places > most) dropLast();
    if (place < first) first = place;
  }
  return first;
}

function dropLast(): void {
  const last = poolSize - 1;
  places -= <u32>(last === 0 || !isEqualAt(last - 1, entryAt(pool, last)));
  keepPool(last);
}

/** Whether there is a candidate at that place of the pool, with the key of the entry. */
function isEqualAt(at: u32, entry: u64): bool {
  return at < poolSize && haveEqualKeys(entryAt(pool, at), entry);
}

function haveEqualKeys(a: u64, b: u64): bool {
  return (a ^ b) >> 32 === 0;
}
