/**
 * Walks that find the nearest of the slots a filter allows: over all slots where many are allowed, by two hops over allowed
 * ones where few are. Called by search, which has set the query; a walk that measures more than a scan would is given up.
 */
import { BATCH, keyInBatch, putInBatch, scoreBatch, slotInBatch, touchBatch } from "./batch";
import { found, foundSize, takeFound } from "./found";
import { capacityOf, listOf } from "./lists";
import { isMarked, mark } from "./marks";
import { take } from "./memory";
import { entryAt, entryOf, isExpanded, setExpanded, slotOf } from "./pool";
import { NONE, slotCount } from "./slots";
import { beginWalk, expandSome, nextFrom, pool, poolSize, seed, takeBatch, takeNearer } from "./walk";

/** Lists of neighbours that a two-hop walk steps over. */
let bridgeLists: usize = 0;
/** As `touched`, of links. */
export let bridged: u32 = 0;

/** False if memory has run out. */
export function layOutFilteredWalks(): bool {
  bridgeLists = take(<u64>capacityOf(0) * 4);
  return bridgeLists !== 0;
}

/** Whether bit `slot` is set. */
export function allows(bits: usize, slot: u32): bool {
  return ((load<u32>(bits + ((slot >> 5) << 2)) >> (slot & 31)) & 1) !== 0;
}

/**
 * Walks over all slots but puts in `found` only those that `bits` allows, up to `ef`: as widely as a walk without a filter
 * would, and on until `enough` are found that are nearer than what is not yet expanded. The pool holds up to `width`. False if
 * so many were not found, if the `wanted` nearest are elsewhere, or if more slots were measured than match.
 */
export function walkCollecting(
  start: u32,
  bits: usize,
  ef: u32,
  wanted: u32,
  enough: u32,
  width: u32,
  matches: u32,
): bool {
  beginWalk();
  seed(start, width);
  if (allows(bits, start)) takeFound(entryAt(pool, 0), ef);
  let cursor: u32 = 0;
  let measured: u32 = 0;
  let isPromising = false;
  while (cursor < poolSize) {
    if (cursor >= ef) {
      if (!isPromising && areElsewhere(bits, ef, wanted, matches)) return false;
      isPromising = true;
      if (foundSize >= enough && entryAt(pool, cursor) > entryAt(found, enough - 1)) return true;
    }
    const count = expandSome(cursor, 0);
    measured += count;
    if (measured > matches) return false;
    for (let i: u32 = 0; i < count; i++) {
      if (allows(bits, slotInBatch(i))) takeFound(entryOf(keyInBatch(i), slotInBatch(i)), ef);
    }
    // What lies beyond is never expanded once the walk is as wide as one without a filter.
    const bound = cursor >= ef && foundSize >= enough ? entryAt(found, enough - 1) : u64.MAX_VALUE;
    cursor = nextFrom(cursor, takeNearer(count, width, bound));
  }
  return foundSize >= enough && poolSize < width;
}

/**
 * Whether among the nearest, where twice as many as wanted are to be expected, fewer are found than wanted, and fewer than by
 * two standard deviations of chance. The walk sees all that is near, but of what lies beyond, in other clusters, it finds only
 * two in three.
 */
function areElsewhere(bits: usize, ef: u32, wanted: u32, matches: u32): bool {
  const share = <f64>matches / <f64>slotCount;
  const nearest = min(min(ef, poolSize), <u32>((<f64>wanted * 2) / share));
  let near: u32 = 0;
  for (let i: u32 = 0; i < nearest; i++) near += <u32>allows(bits, slotOf(entryAt(pool, i)));
  const expected = <f64>nearest * share;
  const missing = expected - <f64>near;
  return near < wanted && missing > 0 && missing * missing > 4 * expected;
}

/**
 * Walks over allowed slots alone, stepping over slots that are not: a neighbour that is not allowed stands for
 * its own neighbours (ACORN, section 5). Starts from what the pool holds. False if over budget.
 */
export function walkTwoHops(bits: usize, ef: u32, budget: u32): bool {
  const capacity = capacityOf(0);
  let cursor: u32 = 0;
  let measured: u32 = 0;
  while (cursor < poolSize) {
    const entry = entryAt(pool, cursor);
    if (isExpanded(entry)) {
      cursor++;
      continue;
    }
    setExpanded(pool, cursor);
    const count = gatherTwoHops(listOf(slotOf(entry), 0), capacity, bits);
    measured += count;
    if (measured > budget) return false;
    touchBatch(count);
    scoreBatch(count);
    cursor = min(cursor + 1, takeBatch(count, ef));
  }
  return true;
}

/** Puts unvisited allowed slots one or two links away in the batch. */
function gatherTwoHops(list: usize, capacity: u32, bits: usize): u32 {
  let count: u32 = 0;
  let bridges: u32 = 0;
  let sum: u32 = 0;
  for (let i: u32 = 0; i < capacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) break;
    if (isMarked(slot)) continue;
    mark(slot);
    if (allows(bits, slot)) putInBatch(count++, slot);
    else {
      const next = listOf(slot, 0);
      store<u32>(bridgeLists + (bridges << 2), <u32>next);
      bridges++;
      sum += load<u32>(next) + load<u32>(next + ((capacity - 1) << 2));
    }
  }
  bridged = sum;
  for (let b: u32 = 0; b < bridges; b++) {
    const next = <usize>load<u32>(bridgeLists + (b << 2));
    for (let i: u32 = 0; i < capacity; i++) {
      const slot = load<u32>(next + (i << 2));
      if (slot === NONE || count === BATCH) break;
      if (isMarked(slot) || !allows(bits, slot)) continue;
      mark(slot);
      putInBatch(count++, slot);
    }
  }
  return count;
}
