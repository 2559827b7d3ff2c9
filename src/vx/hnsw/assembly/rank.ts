/**
 * Ranking what a search found: the nearest at full precision, then the results in double precision, so that
 * their order is that of the distances given. Called by search and negatives.
 */
import { BATCH, keyInBatch, putInBatch, scoreBatchExactly, slotInBatch } from "./batch";
import { found, foundSize } from "./found";
import { grownTo, take } from "./memory";
import { entryAt, entryOf, insertEntry, keyOf, slotOf, takePool } from "./pool";
import { finalDistance, joined, selectQuery, wideHalf } from "./query";
import { scaleOf } from "./rows";
import { cosine, dimension, idOf, quantized } from "./slots";

/** Candidates that a scan finds for ranking at full precision: at least 3k, but beyond k no more than this. */
const MOST_SURPLUS: u32 = 256;
/** Standard deviations of rounding by which a key is off, at most. */
const MOST_DEVIATIONS: f32 = 4;
/**
 * What rounding in f32 leaves of a difference between two keys under cosine, where what is near is told by products near 1: at
 * least so much, and more for sums of many, by the square root of the dimension.
 */
const COSINE_ROUNDING: f32 = 1e-6;
const COSINE_ROUNDING_OF_ONE: f32 = 5e-8;
/** The same of int8 rows, whose sums are whole numbers, to one of half the query's squared norm. */
const ROW_ROUNDING: f32 = 1e-6;

let ranked: usize = 0;
let rankedCapacity: u32 = 0;
/** u64 ids, then f32 distances, then u32 slots, then for a search with negatives f32 scores. */
export let results: usize = 0;
let resultsCapacity: u32 = 0;

/** Room to rank `ef` candidates and write `k` results. False if memory has run out. */
export function reserveRanking(k: u32, ef: u32): bool {
  if (rankedCapacity < ef) {
    const next = takePool(grownTo(rankedCapacity, ef));
    if (next === 0) return false;
    ranked = next;
    rankedCapacity = grownTo(rankedCapacity, ef);
  }
  if (resultsCapacity < k) {
    const next = take(<u64>grownTo(resultsCapacity, k) * 20);
    if (next === 0) return false;
    results = next;
    resultsCapacity = grownTo(resultsCapacity, k);
  }
  return true;
}

/** Fewest candidates that are to be found for ranking `k` results. */
export function surplusOf(k: u32): u32 {
  return quantized ? k + min(k * 2, MOST_SURPLUS) : k;
}

/** How many of those found are to be ranked: all that may be nearer than the last of the first `wanted`, but for rounding. */
function uncertainOf(wanted: u32): u32 {
  if (!quantized || foundSize <= wanted) return min(wanted, foundSize);
  const last = entryAt(found, wanted - 1);
  const bound = keyOf(last) + roundingOf(last) + ROW_ROUNDING * wideHalf;
  let count = wanted;
  for (; count < foundSize; count++) {
    const entry = entryAt(found, count);
    if (keyOf(entry) - roundingOf(entry) > bound) break;
  }
  return count;
}

/**
 * How far the key of an int8 row may be from that of its vector: each number is off by up to half the scale s, so half the
 * squared distance d by a standard deviation of d * s / sqrt(12).
 */
function roundingOf(entry: u64): f32 {
  const square = max<f32>(2 * keyOf(entry), 0);
  return MOST_DEVIATIONS * scaleOf(slotOf(entry)) * sqrt<f32>(square / 12);
}

/** Ranks what was found at full precision and writes the first `wanted`. */
export function rank(wanted: u32): i32 {
  const uncertain = uncertainOf(wanted);
  const count = min(wanted, uncertain);
  if (quantized) rankExactly(uncertain);
  else memory.copy(ranked, found, foundSize << 3);
  return write(count, alikeOf(count, quantized ? uncertain : foundSize));
}

/** How many of the `size` ranked may be among the nearest `count`, but for rounding in f32. */
function alikeOf(count: u32, size: u32): u32 {
  if (!cosine || count === 0) return count;
  const bound =
    keyOf(entryAt(ranked, count - 1)) +
    max(COSINE_ROUNDING, COSINE_ROUNDING_OF_ONE * sqrt<f32>(<f32>dimension));
  let alike = count;
  while (alike < size && keyOf(entryAt(ranked, alike)) <= bound) alike++;
  return alike;
}

/** Ranks the first `uncertain` that were found. */
function rankExactly(uncertain: u32): void {
  let size: u32 = 0;
  for (let first: u32 = 0; first < uncertain; first += BATCH) {
    const count = min(uncertain - first, BATCH);
    for (let i: u32 = 0; i < count; i++) putInBatch(i, slotOf(entryAt(found, first + i)));
    scoreBatchExactly(count);
    for (let i: u32 = 0; i < count; i++) {
      insertEntry(ranked, size++, entryOf(keyInBatch(i), slotInBatch(i)));
    }
  }
}

/** Sorts the first `alike` ranked by the distance the caller sees and writes `count` of them. */
function write(count: u32, alike: u32): i32 {
  for (let i: u32 = 0; i < alike; i++) {
    const slot = slotOf(entryAt(ranked, i));
    insertEntry(found, i, entryOf(<f32>finalDistance(slot), slot));
  }
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryAt(found, i);
    put(i, count, slotOf(entry), keyOf(entry));
  }
  return count;
}

function put(i: u32, count: u32, slot: u32, distance: f32): void {
  store<u64>(results + (i << 3), idOf(slot));
  store<f32>(results + (count << 3) + (i << 2), distance);
  store<u32>(results + (count << 3) + ((count + i) << 2), slot);
}

/** As `rank` for joined queries: by score, highest first. All that was found is ranked, where it was measured by int8 rows. */
export function rankJoined(wanted: u32): i32 {
  const uncertain = quantized ? foundSize : min(wanted, foundSize);
  const count = min(wanted, uncertain);
  let size: u32 = 0;
  for (let i: u32 = 0; i < uncertain; i++) {
    const slot = slotOf(entryAt(found, i));
    size = keepNearest(size, count, entryOf(<f32>-scoreOf(slot), slot));
  }
  selectQuery(0);
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryAt(ranked, i);
    const slot = slotOf(entry);
    put(i, count, slot, <f32>finalDistance(slot));
    store<f32>(results + (count << 3) + ((count * 2 + i) << 2), -keyOf(entry));
  }
  return count;
}

/** Puts an entry among the `most` nearest that are ranked, of which `size` are there. Gives how many are there then. */
function keepNearest(size: u32, most: u32, entry: u64): u32 {
  if (size < most) insertEntry(ranked, size++, entry);
  else if (entry < entryAt(ranked, most - 1)) insertEntry(ranked, most - 1, entry);
  return size;
}

/** Similarity 1 / (1 + distance) to query 0, less half the mean similarity to the others. */
function scoreOf(slot: u32): f64 {
  selectQuery(0);
  const similarity = 1 / (1 + finalDistance(slot));
  let sum: f64 = 0;
  for (let query: u32 = 1; query < joined; query++) {
    selectQuery(query);
    sum += 1 / (1 + finalDistance(slot));
  }
  return similarity - (0.5 * sum) / <f64>(joined - 1);
}
