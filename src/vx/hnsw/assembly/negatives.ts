/**
 * Search with negatives under L2, where the score is no distance: similarity 1 / (1 + distance) to the positive
 * less half the mean similarity to the negatives. (Under cosine the score is linear in the vector and the host
 * asks for one combined vector.) Walks the graph twice: by distance to the positive, for a start, then by score
 * from there and from slots all over. Called by the kernel, with the queries asked: 0 the positive.
 */
import { found, foundSize, keepFound } from "./found";
import { entryPoint, topLevel } from "./insert";
import { entryAt, slotOf } from "./pool";
import { joinQueries, selectQuery } from "./query";
import { rankJoined } from "./rank";
import { scan } from "./scan";
import {
  collectElsewhere,
  filterWords,
  isScanned,
  reserveScan,
  reserveSearch,
  scanBreadth,
  seedAllowed,
  seedFound,
  takePool,
} from "./search";
import { LIVE, liveCount, liveWords, slotCount, stateOf } from "./slots";
import { beginWalk, descend, seed, walkLevel } from "./walk";

/** Candidates to one of ef: the score's ridges are crossed less surely than a distance's slope is followed. */
const BREADTH: u32 = 2;

/**
 * The `k` highest scores over `queries` asked queries, for an `ef` of at least k. Gives how many, or -1 if memory has
 * run out.
 */
export function searchNegatives(k: u32, ef: u32, queries: u32, hasDead: bool): i32 {
  const wanted = min(k, liveCount);
  const breadth = ef * BREADTH;
  if (!reserveSearch(wanted, breadth, liveCount)) return -1;
  if (isScanned(breadth, liveCount)) {
    joinQueries(queries);
    scan(liveWords(), breadth);
  } else {
    walkByScore(wanted, breadth, queries);
    if (hasDead) keepLive();
    if (foundSize < wanted) scan(liveWords(), breadth);
  }
  const count = rankJoined(wanted);
  joinQueries(0);
  return count;
}

/** As `searchNegatives`, by measuring every slot that the filter names, live or not. */
export function searchNegativesAmong(k: u32, ef: u32, queries: u32): i32 {
  const breadth = ef * BREADTH;
  if (!reserveScan(min(k, slotCount), breadth, slotCount)) return -1;
  joinQueries(queries);
  scan(filterWords(), scanBreadth(k, breadth));
  const count = rankJoined(k);
  joinQueries(0);
  return count;
}

function walkByScore(wanted: u32, ef: u32, queries: u32): void {
  selectQuery(0);
  const start = descend(entryPoint, topLevel, 0);
  beginWalk();
  seed(start, ef);
  walkLevel(0, ef);
  takePool(ef);
  joinQueries(queries);
  beginWalk();
  seedFound(ef);
  seedAllowed(liveWords(), ef);
  walkLevel(0, ef);
  takePool(ef);
  collectElsewhere(start, liveWords(), wanted, ef);
}

function keepLive(): void {
  let size: u32 = 0;
  for (let i: u32 = 0; i < foundSize; i++) {
    const entry = entryAt(found, i);
    if (stateOf(slotOf(entry)) !== LIVE) continue;
    store<u64>(found + ((<usize>size) << 3), entry);
    size++;
  }
  keepFound(size);
}
