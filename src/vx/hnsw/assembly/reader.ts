/**
 * Searching from another thread: an instance of the kernel there, with its own query, pools and marks, on the memory of the
 * first. While the first changes the graph it may not search; what it needs to know of each state is published on a board.
 *
 * | board offset | content, u32 |
 * |---|---|
 * | 0 | entry point |
 * | 4 | whether there are dead slots |
 * | 8 | the origin, 0 for none |
 * | 12 | places of the tables, see slots.ts |
 */
import { layOutBatch } from "./batch";
import { layOutFilteredWalks } from "./filtered-walk";
import { entryPoint, setEntryPoint } from "./insert";
import { forgetMarks } from "./marks";
import { take, takeFrom } from "./memory";
import { origin, setOrigin } from "./origin";
import { INVALID_VECTOR } from "./place";
import { reserveQueries } from "./query";
import { input, isValid, layOutInput } from "./rows";
import { layOutRuns } from "./runs";
import { placeFilter, search } from "./search";
import { filterOfReader, layOut, readReaderPlaces, writeReaderPlaces } from "./slots";

const BOARD_BYTES: u32 = 64;
const PLACES: usize = 12;

let board: usize = 0;
/** It has taken up no graph yet. */
let isNew: bool = true;

/** The first thread: makes a board. Gives its address, or 0 if memory has run out. */
export function openReaderBoard(): usize {
  board = take(BOARD_BYTES);
  return board;
}

/** Says how the graph is now, if there is a board. */
export function publishToReader(hasDead: bool): void {
  if (board === 0) return;
  store<u32>(board, entryPoint);
  store<u32>(board, <u32>hasDead, 4);
  store<u32>(board, <u32>origin, 8);
  writeReaderPlaces(board + PLACES);
}

/** The reader: joins the board, in a region that the first took for it. False if that is too small. */
export function joinAsReader(
  at: usize,
  region: usize,
  regionBytes: u32,
  dimension: u32,
  cosine: bool,
  m: u32,
  quantized: bool,
): bool {
  board = at;
  takeFrom(region, regionBytes);
  // Another reader may have been here before.
  memory.fill(region, 0, regionBytes);
  return (
    layOut(dimension, m, cosine, quantized) &&
    layOutInput() &&
    layOutBatch() &&
    layOutRuns() &&
    reserveQueries(1) &&
    layOutFilteredWalks()
  );
}

/** Takes up the graph as it was published last; while nobody publishes. */
export function adoptAsReader(): void {
  readReaderPlaces(board + PLACES);
  setEntryPoint(load<u32>(board));
  setOrigin(load<u32>(board, 8));
  placeFilter(filterOfReader());
  if (!isNew) return;
  // The marks of one that was here before: their numbers mean other walks.
  forgetMarks();
  isNew = false;
}

/** Searches the graph that was taken up. Results and codes as those of the kernel's search. */
export function read(k: u32, ef: u32, filtered: bool): i32 {
  if (!isValid(input)) return INVALID_VECTOR;
  return search(k, ef, filtered, load<u32>(board, 4) !== 0);
}
