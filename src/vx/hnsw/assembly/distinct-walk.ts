/**
 * Walks where many vectors are equal. At one place there may be more of them than a walk has candidates: then all candidates are
 * equal, and it ends at the first place that it meets. Here equal ones stand for one place, of which a few are expanded. They are
 * told by their keys and by what these are measured on, equal to the bit: of vectors of few different numbers (signs, words that
 * are there or not) many are as far from the query as others elsewhere. Called by search and insert where a walk has ended so.
 */
import { keyInBatch, slotInBatch } from "./batch";
import { allows } from "./filtered-walk";
import { takeFoundOnce } from "./found";
import { areAsFar, entryAt, entryOf, insertEntry, placeOfEntry, slotOf } from "./pool";
import { haveEqualRows } from "./slots";
import { expandSome, keepPool, nextFrom, pool, poolSize, takeBatch } from "./walk";

/** A walk is mired where of so many candidates all but one are equal to others. */
const MIRED: u32 = 8;
/** Candidates as far as another that it is compared with: of a few places as far, entries lie in turn. */
const COMPARED: u32 = 8;
/** Of equal candidates so many are expanded: the links of more lead to the same. */
const OF_ONE_PLACE: u32 = 2;

/** Different places in the pool. */
let places: u32 = 0;

/** Whether the sorted entries are of few places. */
export function areMostlyEqual(entries: usize, count: u32): bool {
  const most = count / MIRED;
  let different: u32 = 0;
  for (let i: u32 = 0; i < count && different <= most; i++) {
    const least = i < COMPARED ? 0 : i - COMPARED;
    different += <u32>(copiesBefore(entries, i, least, entryAt(entries, i), 1) === 0);
  }
  return count > 0 && different <= most;
}

/** From the one candidate that the pool holds, walks on until candidates of the `most` nearest places have been expanded. */
export function walkDistinct(level: u32, most: u32): void {
  collectDistinct(level, most, 0, 0);
}

/** As `walkDistinct`; puts what `bits` allows of all that is met in `found`, up to `finds`. */
export function collectDistinct(level: u32, most: u32, bits: usize, finds: u32): void {
  places = 1;
  let cursor: u32 = 0;
  while (cursor < poolSize) {
    const count = expandSome(cursor, level);
    if (finds > 0) collect(count, bits, finds);
    cursor = nextFrom(cursor, takeDistinct(count, most));
  }
}

/** As `collectDistinct`, of the `ef` nearest, equal or not. */
export function collectNearest(level: u32, ef: u32, bits: usize, finds: u32): void {
  let cursor: u32 = 0;
  while (cursor < poolSize) {
    const count = expandSome(cursor, level);
    collect(count, bits, finds);
    cursor = nextFrom(cursor, takeBatch(count, ef));
  }
}

/** Puts what is allowed of the measured batch in `found`. */
function collect(count: u32, bits: usize, finds: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    if (allows(bits, slotInBatch(i))) takeFoundOnce(entryOf(keyInBatch(i), slotInBatch(i)), finds);
  }
}

/** Puts the measured batch in the pool; gives the first place that changed. */
function takeDistinct(count: u32, most: u32): u32 {
  let first = poolSize;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(keyInBatch(i), slotInBatch(i));
    if (places >= most && entry >= entryAt(pool, poolSize - 1)) continue;
    // Behind all that are as far.
    const end = placeOfEntry(pool, poolSize, (entry | 0xffffffff) + 1);
    const copies = copiesBefore(pool, end, 0, entry, OF_ONE_PLACE);
    if (copies === OF_ONE_PLACE) continue;
    places += <u32>(copies === 0);
    const place = insertEntry(pool, poolSize, entry);
    keepPool(poolSize + 1);
    while (places > most) dropLast();
    if (place < first) first = place;
  }
  return first;
}

function dropLast(): void {
  const last = poolSize - 1;
  places -= <u32>(copiesBefore(pool, last, 0, entryAt(pool, last), 1) === 0);
  keepPool(last);
}

/** How many of the sorted entries from `least` to before `end`, all no farther than the entry, are at its place; up to `most`. */
function copiesBefore(entries: usize, end: u32, least: u32, entry: u64, most: u32): u32 {
  let copies: u32 = 0;
  for (let at = end; at > least && copies < most; at--) {
    const other = entryAt(entries, at - 1);
    if (!areAsFar(other, entry)) break;
    copies += <u32>haveEqualRows(slotOf(other), slotOf(entry));
  }
  return copies;
}
