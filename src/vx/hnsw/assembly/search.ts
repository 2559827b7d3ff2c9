/**
 * Searches: choosing how to find candidates. Called by the kernel with the query in the input and, for a
 * filtered search, the allowed slots as bits.
 *
 * How (thresholds measured, see README): few allowed slots are scanned. Otherwise a walk over all slots collects those
 * allowed, if so many match that it is to find them, and near the query no fewer than elsewhere; or else they are scanned
 * unless there are many, over which a two-hop walk goes, from what was collected and from slots all over. Whatever measures
 * more slots than a scan would, or finds fewer than k, becomes a scan, so a search gives k results whenever k slots are allowed.
 */
import { areMostlyEqual, collectDistinct, collectNearest } from "./distinct-walk";
import { walkCollecting, walkTwoHops } from "./filtered-walk";
import { forgetFound, found, foundSize, keepFound, reserveFound } from "./found";
import { entryPoint, topLevel } from "./insert";
import { grownTo, take } from "./memory";
import { areAsFar, entryAt, slotOf } from "./pool";
import { askInput } from "./query";
import { rank, reserveRanking, surplusOf } from "./rank";
import { scan } from "./scan";
import { liveCount, liveWords, slotCount } from "./slots";
import { beginWalk, descend, pool, poolSize, reservePool, seed, walkLevel } from "./walk";

/** Allowed slots up to which a scan beats any walk, and those up to which it beats a two-hop walk. */
const SCAN_MATCHES: u32 = 20000;
const SCAN_BEFORE_TWO_HOPS: u32 = 50000;
/** A scan of up to so many slots per candidate of ef is faster than a walk, and exact. */
const SCAN_PER_EF: u32 = 16;
/** Slots that a collecting walk finds to one of k, at least, and where few match: at most, and the product with the share. */
const COLLECTED_PER_K: f64 = 2;
const MOST_COLLECTED_PER_K: f64 = 3;
const COLLECTED_SHARE: f64 = 0.12;
/** What it must have room to find to one of k: where fewer match, it finds too few of them. */
const ROOM_PER_K: u32 = 4;
/** Room of a collecting walk, in candidates to one of ef: of more, each takes longer to put in its place. */
const COLLECT_WIDTH: u32 = 8;
const MOST_COLLECT_WIDTH: u32 = 12;
/** Candidates of a two-hop walk to one of ef, and allowed slots all over that it starts from. */
const TWO_HOP_EF: u32 = 6;
const TWO_HOP_SEEDS: u32 = 64;

/** Candidates and results of the broadest search that memory is to be had for beforehand. */
let broadest: u32 = 0;
let mostWanted: u32 = 0;

let filter: usize = 0;
let filterCapacity: u32 = 0;

/** Where the host puts the allowed slots, 1 bit each, for every slot; 0 without memory. */
export function filterWords(): usize {
  return reserveFilter(slotCount) ? filter : 0;
}

function reserveFilter(slots: u32): bool {
  if (filter !== 0 && slots <= filterCapacity) return true;
  const next = take(<u64>grownTo(filterCapacity, slots) / 8 + 8);
  if (next === 0) return false;
  filter = next;
  filterCapacity = grownTo(filterCapacity, slots);
  return true;
}

/** Has a reader's filter where the first thread made room for it. */
export function placeFilter(at: usize): void {
  filter = at;
  filterCapacity = slotCount;
}

/** Searches of so many results and candidates at most are answered also when memory is full. */
export function foreseeSearches(k: u32, ef: u32): void {
  mostWanted = k;
  broadest = ef;
}

/** Room for all searches foreseen among so many slots. False if memory has run out. */
export function reserveSearches(slots: u32): bool {
  // With more candidates all slots are scanned.
  const walked = min(broadest, slots / SCAN_PER_EF);
  return reserveFilter(slots) && reserveWalk(walked) && reserveScan(min(mostWanted, slots), broadest, slots);
}

/** Room for a search among so many `matches`, of which it gives `k`. False if memory has run out. */
export function reserveSearch(k: u32, ef: u32, matches: u32): bool {
  return (isScanned(ef, matches) || reserveWalk(ef)) && reserveScan(k, ef, matches);
}

function reserveWalk(ef: u32): bool {
  return reservePool(ef * MOST_COLLECT_WIDTH);
}

/** As `reserveSearch`, for one that walks nowhere. */
export function reserveScan(k: u32, ef: u32, matches: u32): bool {
  const breadth = min(scanBreadth(k, ef), matches);
  return reserveFound(breadth) && reserveRanking(k, breadth);
}

/** Whether a scan of all `matches` is faster than a walk with so many candidates. */
export function isScanned(ef: u32, matches: u32): bool {
  return matches <= ef * SCAN_PER_EF;
}

/** How many a scan finds, so that after ranking the `k` nearest are among them. */
export function scanBreadth(k: u32, ef: u32): u32 {
  return max(ef, surplusOf(k));
}

/**
 * Finds the `k` nearest of the live slots, or of those the filter allows. Results are u64 ids, then f32
 * distances, nearest first. Gives how many, or -1 if memory has run out.
 */
export function search(k: u32, ef: u32, filtered: bool, hasDead: bool): i32 {
  const bits = filtered ? filter : liveWords();
  const matches = filtered ? allowedAndLive() : liveCount;
  const wanted = min(k, matches);
  if (wanted === 0) return 0;
  const breadth = max(ef, wanted);
  if (!reserveSearch(wanted, breadth, matches)) return -1;
  askInput(0);
  findCandidates(bits, matches, wanted, breadth, filtered || hasDead);
  return rank(wanted);
}

/** As `search`, by measuring every slot that the filter names, live or not: none of them may be free. */
export function searchAmong(k: u32, ef: u32): i32 {
  let named: u32 = 0;
  for (let at: u32 = 0; at < ((slotCount + 31) >> 5) << 2; at += 4)
    named += popcnt<u32>(load<u32>(filter + at));
  const wanted = min(k, named);
  if (wanted === 0) return 0;
  if (!reserveScan(wanted, ef, named)) return -1;
  askInput(0);
  scan(filter, scanBreadth(wanted, ef));
  return rank(wanted);
}

/** Fills `found` with at least `wanted` candidates. */
function findCandidates(bits: usize, matches: u32, wanted: u32, ef: u32, select: bool): void {
  if (isScanned(ef, matches) || (matches < liveCount && matches <= SCAN_MATCHES)) {
    scan(bits, scanBreadth(wanted, ef));
    return;
  }
  const start = descend(entryPoint, topLevel, 0);
  if (!select) {
    beginWalk();
    seed(start, ef);
    walkLevel(0, ef);
    takePool(ef);
    collectElsewhere(start, bits, wanted, ef);
    if (foundSize < wanted) scan(bits, scanBreadth(wanted, ef));
    return;
  }
  const share = <f64>matches / <f64>slotCount;
  const perK = max(COLLECTED_PER_K, min(MOST_COLLECTED_PER_K, COLLECTED_SHARE / share));
  const enough = min(ef, <u32>max(<f64>wanted * perK, <f64>ef * share));
  const room = <f64>min(ef, wanted * ROOM_PER_K) / share;
  const width = max(ef * COLLECT_WIDTH, min(ef * MOST_COLLECT_WIDTH, <u32>(room * 1.25)));
  forgetFound();
  if (room <= <f64>width && walkCollecting(start, bits, ef, wanted, enough, width, matches)) {
    collectElsewhere(start, bits, wanted, ef);
    return;
  }
  if (matches <= SCAN_BEFORE_TWO_HOPS) {
    scan(bits, scanBreadth(wanted, ef));
    return;
  }
  beginWalk();
  seedFound(ef * TWO_HOP_EF);
  seedAllowed(bits, ef * TWO_HOP_EF);
  const complete = walkTwoHops(bits, ef * TWO_HOP_EF, matches);
  takePool(ef);
  if (!complete || foundSize < wanted) scan(bits, scanBreadth(wanted, ef));
}

/** Where the candidates that a walk from `start` ended with are nearly all equal, adds what `bits` allows of other places. */
export function collectElsewhere(start: u32, bits: usize, wanted: u32, ef: u32): void {
  if (!areMostlyEqual(pool, min(poolSize, ef))) return;
  const before = entryAt(found, 0);
  beginWalk();
  seed(start, ef);
  collectDistinct(0, ef / 2, bits, ef);
  const nearest = entryAt(found, 0);
  if (areAsFar(nearest, before) || areAsFar(nearest, entryAt(found, min(wanted, foundSize) - 1))) return;
  // Of a nearer place as many as are wanted.
  beginWalk();
  seed(slotOf(nearest), ef);
  collectNearest(0, ef, bits, ef);
}

/** The pool's nearest are what was found. */
export function takePool(most: u32): void {
  const size = min(poolSize, most);
  for (let i: u32 = 0; i < size; i++) store<u64>(found + ((<usize>i) << 3), entryAt(pool, i) & ~1);
  keepFound(size);
}

/** Ands the filter with the live slots and counts what is left: 64 a step, for behind the last slot none is live. */
function allowedAndLive(): u32 {
  const live = liveWords();
  let count: u32 = 0;
  for (let at: u32 = 0; at < ((slotCount + 63) >> 6) << 3; at += 8) {
    const word = load<u64>(filter + at) & load<u64>(live + at);
    store<u64>(filter + at, word);
    count += <u32>popcnt<u64>(word);
  }
  return count;
}

/** Seeds the pool with what was found. */
export function seedFound(ef: u32): void {
  for (let i: u32 = 0; i < foundSize; i++) seed(slotOf(entryAt(found, i)), ef);
}

/** Seeds the pool with allowed slots spread evenly over the slots. */
export function seedAllowed(bits: usize, ef: u32): void {
  const words = (slotCount + 31) >> 5;
  const step = max<u32>(words / TWO_HOP_SEEDS, 1);
  for (let word: u32 = 0; word < words; word += step) {
    for (let at = word; at < min(word + step, words); at++) {
      const set = load<u32>(bits + (at << 2));
      if (set === 0) continue;
      seed((at << 5) + ctz<u32>(set), ef);
      break;
    }
  }
}
