/**
 * Walks over the graph (paper: algorithm 2). Each expands the nearest candidate not yet expanded: gather its
 * unvisited neighbours, ask for their cache lines, measure them, put the near ones in the pool.
 * Called by search and insert, which have set the query; the outcome is the sorted pool.
 */
import { batchRows, batchSlots, keyInBatch, putInBatch, scoreBatch, slotInBatch, touchBatch } from "./batch";
import { capacityOf, listOf } from "./lists";
import { freshEpoch, isMarked, mark } from "./marks";
import { grownTo } from "./memory";
import { entryAt, entryOf, insertEntry, isExpanded, setExpanded, slotOf, takePool } from "./pool";
import { LIVE, NONE, stateOf, visited, walkRowOf } from "./slots";

/**
 * Most candidates expanded together, for more rows to be on their way at once. While a walk still comes nearer, one at a time
 * is expanded: others would be far from where it ends.
 */
const MOST_TOGETHER: u32 = 4;

/** Room of a walk past dead slots, in candidates to one of ef: of more, each takes longer to put in its place. */
export const LIVING_WIDTH: u32 = 8;

export let pool: usize = 0;
export let poolSize: u32 = 0;
let poolCapacity: u32 = 0;

/** Makes room for `capacity` candidates. False if memory has run out. */
export function reservePool(capacity: u32): bool {
  if (capacity <= poolCapacity) return true;
  const next = takePool(grownTo(poolCapacity, capacity));
  if (next === 0) return false;
  pool = next;
  poolCapacity = grownTo(poolCapacity, capacity);
  return true;
}

let epoch: u8 = 0;
/** Of the pool's candidates, those that live; for a walk that minds it. */
let living: u32 = 0;
/** Candidates to be expanded next. */
let together: u32 = 1;
/** As `touched`, of links. */
export let lookedAhead: u32 = 0;

/** Starts with an empty pool and nothing visited. */
export function beginWalk(): void {
  poolSize = 0;
  together = 1;
  epoch = freshEpoch();
}

/** Keeps the first `size` candidates. */
export function keepPool(size: u32): void {
  poolSize = size;
}

/** Measures a slot and puts it in the pool, if it was not visited. */
export function seed(slot: u32, ef: u32): void {
  if (isMarked(slot)) return;
  mark(slot);
  putInBatch(0, slot);
  scoreBatch(1);
  takeBatch(1, ef);
}

/** Puts the measured batch in the pool; gives the first place that changed. */
export function takeBatch(count: u32, ef: u32): u32 {
  return takeNearer(count, ef, u64.MAX_VALUE);
}

/** As `takeBatch`, but only what is nearer than an entry. */
export function takeNearer(count: u32, ef: u32, bound: u64): u32 {
  let size = poolSize;
  let first = size;
  let worst = size < ef ? bound : min(bound, entryAt(pool, size - 1));
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(keyInBatch(i), slotInBatch(i));
    if (entry >= worst) continue;
    const place = insertEntry(pool, size < ef ? size++ : size - 1, entry);
    if (place < first) first = place;
    if (size === ef) worst = min(bound, entryAt(pool, size - 1));
  }
  poolSize = size;
  return first;
}

/** Puts the unvisited neighbours of a list in the batch behind `count` others, and marks them. */
export function gather(list: usize, capacity: u32, count: u32): u32 {
  const marks = visited;
  const now = epoch;
  const end = list + ((<usize>capacity) << 2);
  const first = count;
  for (let at = list; at < end; at += 4) {
    const slot = load<u32>(at);
    if (slot === NONE) break;
    store<u32>(batchSlots + (count << 2), slot);
    count += <u32>(load<u8>(marks + slot) !== now);
    store<u8>(marks + slot, now);
  }
  for (let i = first; i < count; i++) {
    store<u32>(batchRows + (i << 2), <u32>walkRowOf(load<u32>(batchSlots + (i << 2))));
  }
  return count;
}

/** Moves to the nearest slot by steps that each come nearer, on levels from `top` down to `bottom` + 1. */
export function descend(start: u32, top: u32, bottom: u32): u32 {
  let nearest = start;
  putInBatch(0, start);
  scoreBatch(1);
  let least = keyInBatch(0);
  for (let level = top; level > bottom; level--) {
    const capacity = capacityOf(level);
    for (let from = NONE; from !== nearest; ) {
      from = nearest;
      const list = listOf(from, level);
      let count: u32 = 0;
      for (; count < capacity; count++) {
        const slot = load<u32>(list + (count << 2));
        if (slot === NONE) break;
        putInBatch(count, slot);
      }
      touchBatch(count);
      scoreBatch(count);
      for (let i: u32 = 0; i < count; i++) {
        if (keyInBatch(i) >= least) continue;
        least = keyInBatch(i);
        nearest = slotInBatch(i);
      }
    }
  }
  return nearest;
}

/** Expands candidates until the pool's `ef` nearest have all been expanded. */
export function walkLevel(level: u32, ef: u32): void {
  let cursor: u32 = 0;
  while (cursor < poolSize) {
    cursor = nextFrom(cursor, takeBatch(expandSome(cursor, level), ef));
  }
}

/**
 * As `walkLevel`, for the `ef` nearest that live, which are all that the pool holds in the end: dead slots are walked over. Of
 * those that were deleted near one another there may be more than ef, and all that lives lies beyond them. The pool must have
 * room for LIVING_WIDTH candidates to one of ef.
 */
export function walkLiving(level: u32, ef: u32): void {
  const width = ef * LIVING_WIDTH;
  living = 0;
  for (let i: u32 = 0; i < poolSize; i++) living += <u32>livesAt(i);
  let cursor: u32 = 0;
  while (cursor < poolSize) {
    cursor = nextFrom(cursor, takeLiving(expandSome(cursor, level), ef, width));
  }
  leaveDead();
}

/** As `takeBatch`; what is farther than the last of `ef` that live is left out. */
function takeLiving(count: u32, ef: u32, width: u32): u32 {
  let first = poolSize;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryOf(keyInBatch(i), slotInBatch(i));
    const isFull = living >= ef || poolSize === width;
    if (isFull && entry >= entryAt(pool, poolSize - 1)) continue;
    if (poolSize === width) dropLast();
    const place = insertEntry(pool, poolSize++, entry);
    if (place < first) first = place;
    living += <u32>livesAt(place);
    while (living > ef || (living === ef && !livesAt(poolSize - 1))) dropLast();
  }
  return first;
}

/** Leaves the dead out of the pool. */
export function leaveDead(): void {
  let size: u32 = 0;
  for (let i: u32 = 0; i < poolSize; i++) {
    if (!livesAt(i)) continue;
    store<u64>(pool + ((<usize>size) << 3), entryAt(pool, i));
    size++;
  }
  poolSize = size;
}

/** Leaves a slot out of the pool. */
export function leaveOut(slot: u32): void {
  let at: u32 = 0;
  while (at < poolSize && slotOf(entryAt(pool, at)) !== slot) at++;
  if (at === poolSize) return;
  poolSize--;
  const place = pool + ((<usize>at) << 3);
  memory.copy(place, place + 8, (poolSize - at) << 3);
}

function dropLast(): void {
  living -= <u32>livesAt(--poolSize);
}

function livesAt(place: u32): bool {
  return stateOf(slotOf(entryAt(pool, place))) === LIVE;
}

/**
 * Where in the pool the next candidate stands when those from `cursor` on were expanded and `first` is the first place that
 * changed; the pool's size if all are expanded. One alone is next if something nearer was found, else twice as many as before.
 */
export function nextFrom(cursor: u32, first: u32): u32 {
  together = first <= cursor ? 1 : min(together * 2, MOST_TOGETHER);
  let at = min(cursor, first);
  while (at < poolSize && isExpanded(entryAt(pool, at))) at++;
  return at;
}

/** Expands the next candidates from a place in the pool on; gives how many of their neighbours are measured in the batch. */
export function expandSome(from: u32, level: u32): u32 {
  const capacity = capacityOf(level);
  let count: u32 = 0;
  let expanded: u32 = 0;
  let at = from;
  for (; at < poolSize && expanded < together; at++) {
    const entry = entryAt(pool, at);
    if (isExpanded(entry)) continue;
    setExpanded(pool, at);
    count = gather(listOf(slotOf(entry), level), capacity, count);
    expanded++;
  }
  lookAhead(at, level);
  touchBatch(count);
  scoreBatch(count);
  return count;
}

/** Asks for the links that are likely to be gathered next. */
function lookAhead(from: u32, level: u32): void {
  const end = min(from + MOST_TOGETHER, poolSize);
  const last = (capacityOf(level) - 1) << 2;
  let sum: u32 = 0;
  for (let at = from; at < end; at++) {
    const list = listOf(slotOf(entryAt(pool, at)), level);
    sum += load<u32>(list) + load<u32>(list + last);
  }
  lookedAhead = sum;
}
