/**
 * The kernel's exports: what the host (../kernel.ts) may call. Answers are slots, counts or one of the
 * negative codes below; pointers are for the host file alone.
 */
import { layOutBatch } from "./batch";
import { layOutFilteredWalks } from "./filtered-walk";
import { findSlot, reserveIds } from "./ids";
import { entryPoint, insertSlot, setConstruction, topLevel } from "./insert";
import { layOutLinking } from "./link";
import { layOutLists, levelOf } from "./lists";
import { limitMemory, take } from "./memory";
import { searchNegatives as searchJoined, searchNegativesAmong as searchJoinedAmong } from "./negatives";
import { allowElements, FULL, INVALID_VECTOR, place } from "./place";
import { askInput, finalDistance, reserveQueries, selectQuery } from "./query";
import { results } from "./rank";
import { publishToReader } from "./reader";
import { deadCount, freeHead, holdSlots, removeSlot, sweepCursor, sweepSome } from "./remove";
import { foreseeQueries, reserveRoom } from "./room";
import { input, isValid, layOutInput } from "./rows";
import { layOutRuns } from "./runs";
import {
  filterWords,
  foreseeSearches,
  isScanned,
  search as searchGraph,
  searchAmong as searchSlots,
} from "./search";
import {
  allStates,
  arenaOf,
  layOut,
  liveCount,
  liveWords,
  NONE,
  segmentSlots,
  slotCount,
  vectorOf,
} from "./slots";
import {
  layOutState,
  openSlots,
  packUppers as pack,
  packed,
  packedTo as packedSlots,
  takeStates as takeAllStates,
  takeIds,
  takeLinks,
  takeRest,
  takeVectors,
  uppers,
} from "./state";
import {
  closeRound,
  helperBytes,
  isStaging,
  linkLeft as linkOneLeft,
  openBoard as makeBoard,
  publish as publishRound,
  regionOf,
  stageSlot,
} from "./team";

export { touched } from "./batch";
export { bridged } from "./filtered-walk";
export { usedBytes } from "./memory";
export { adoptAsReader, joinAsReader, openReaderBoard, read } from "./reader";
export { adopt, dropStaged, join, linkStaged, stopRound } from "./team";
export { lookedAhead } from "./walk";

/** Beside those of place.ts. */
const DAMAGED: i32 = -3;

/** Steps of a sweep for writes since something was staged. */
let stepsOwed: u32 = 0;

export function create(
  dimension: u32,
  cosine: bool,
  m: u32,
  efConstruction: u32,
  most: u32,
  quantized: bool,
  memoryBytes: f64,
): i32 {
  limitMemory(<u64>memoryBytes);
  allowElements(most);
  return layOut(dimension, m, cosine, quantized) &&
    setConstruction(efConstruction, m) &&
    layOutInput() &&
    layOutBatch() &&
    layOutRuns() &&
    reserveQueries(1) &&
    layOutLists() &&
    layOutLinking() &&
    layOutFilteredWalks() &&
    layOutState() &&
    reserveIds(1)
    ? 0
    : FULL;
}

/**
 * Before anything is added: of searches as broad as these, and of `queries` asked together, none is refused when memory is
 * full.
 */
export function foresee(k: u32, ef: u32, queries: u32): void {
  foreseeSearches(k, ef);
  foreseeQueries(queries);
}

export function inputAddress(): usize {
  return input;
}

/** Where the allowed slots go, as bits for every slot that there is room for; 0 if memory has run out. */
export function filterAddress(): usize {
  return filterWords();
}

export function resultsAddress(): usize {
  return results;
}

export function vectorAddress(slot: u32): usize {
  return vectorOf(slot);
}

/** Address of one arena's part in one segment: 0 links, 1 vectors, 2 ids. */
export function arenaAddress(arena: u32, segment: u32): usize {
  return arenaOf(arena, segment);
}

export function slotsOfSegment(): u32 {
  return segmentSlots();
}

export function statesAddress(): usize {
  return allStates();
}

export function liveAddress(): usize {
  return liveWords();
}

export function packedAddress(): usize {
  return packed;
}

/** Where the upper lists of a state are to be put. */
export function uppersAddress(): usize {
  return uppers;
}

/** Adds the vector in the input under an id, in place of what it held. Gives the slot or a code. */
export function add(id: u64): i32 {
  const slot = place(id);
  if (slot < 0) return slot;
  insertSlot(slot, deadCount > 0);
  sweepOn();
  return slot;
}

/** As `add`, but leaves the links for a round of all threads: until that is over, no search finds it. */
export function stage(id: u64): i32 {
  const slot = place(id);
  if (slot < 0) return slot;
  // A new entry point is for all to see from the start.
  const isHigh = entryPoint === NONE || levelOf(slot) > topLevel;
  if (isHigh || !stageSlot(slot)) insertSlot(slot, deadCount > 0);
  return slot;
}

/** Before anything is added: makes a board for helpers that need `bytes` each. Gives its address, or 0. */
export function openBoard(helpers: u32, bytes: u32): usize {
  return makeBoard(helpers, bytes);
}

/** What a helper has for itself, once there are slots. */
export function helperRegion(index: u32): usize {
  return regionOf(index);
}

/** Tells the reader how the graph is now. */
export function publish(): void {
  publishToReader(deadCount > 0);
}

/** Memory for a reader, or 0. */
export function regionFor(bytes: u32): usize {
  return take(bytes);
}

export function regionBytes(dimension: u32, m: u32, efConstruction: u32): u32 {
  return helperBytes(dimension, m, efConstruction);
}

/** Opens a round: gives how many slots are to be linked. */
export function beginRound(): u32 {
  return publishRound(deadCount > 0);
}

/** Links one of the slots that the helpers left, once they are done. False if none is left. */
export function linkLeft(): bool {
  return linkOneLeft(deadCount > 0);
}

/** Ends a round, once nothing is left, and makes one of the steps of a sweep that it owes. False if none is to be made. */
export function endRound(): bool {
  stepsOwed += closeRound();
  if (stepsOwed > 0 && sweepSome()) {
    stepsOwed--;
    return true;
  }
  stepsOwed = 0;
  return false;
}

/** Takes an id out. 1 if it was there. */
export function remove(id: u64): i32 {
  const slot = findSlot(id);
  if (slot === NONE) return 0;
  removeSlot(slot);
  sweepOn();
  return 1;
}

/** What is staged is met by nobody yet, and a sweep would link it. */
function sweepOn(): void {
  if (isStaging()) stepsOwed++;
  else sweepSome();
}

/** Makes room for `count` vectors in slots never used. 0 or a code. */
export function makeRoom(count: u32): i32 {
  return reserveRoom(slotCount + count) ? 0 : FULL;
}

/** The slot of an id, or -1. */
export function slotOfId(id: u64): i32 {
  return findSlot(id);
}

/** Searches for what is nearest to the input; see search.ts for where the results lie. */
export function search(k: u32, ef: u32, filtered: bool): i32 {
  if (!isValid(input)) return INVALID_VECTOR;
  return searchGraph(k, ef, filtered, deadCount > 0);
}

/** As `search`, by a scan of the slots that the filter names, live or left behind while pinned. */
export function searchAmong(k: u32, ef: u32): i32 {
  if (!isValid(input)) return INVALID_VECTOR;
  return searchSlots(k, ef);
}

/** Whether a search with so many candidates measures all vectors. */
export function scansAll(ef: u32): bool {
  return isScanned(ef, liveCount);
}

/** Makes the input query number `index` of `queries`, for a search with negatives. */
export function ask(index: u32, queries: u32): i32 {
  if (!isValid(input)) return INVALID_VECTOR;
  if (!reserveQueries(queries)) return FULL;
  askInput(index);
  return 0;
}

/** Searches by joined score over the asked queries; L2 alone. */
export function searchNegatives(k: u32, ef: u32, queries: u32): i32 {
  return searchJoined(k, ef, queries, deadCount > 0);
}

/** As `searchNegatives`, by a scan of the slots that the filter names. */
export function searchNegativesAmong(k: u32, ef: u32, queries: u32): i32 {
  return searchJoinedAmong(k, ef, queries);
}

/** The distance from asked query 0 to a slot, as the caller sees it. */
export function distanceTo(slot: u32): f64 {
  selectQuery(0);
  return finalDistance(slot);
}

/** Opens a state: room for it. The host then fills the states, the arenas and the upper lists, and has each taken. */
export function openState(slots: u32, uppersBytes: u32): i32 {
  return openSlots(slots, uppersBytes) ? 0 : FULL;
}

/** First, when all states are filled in. */
export function takeStates(): i32 {
  return takeAllStates() ? 0 : DAMAGED;
}

/** In any order, some slots of an arena, each once: 0 links, 1 vectors, 2 ids. */
export function takePart(arena: u32, first: u32, end: u32): i32 {
  const isSound =
    arena === 0 ? takeLinks(first, end) : arena === 1 ? takeVectors(first, end) : takeIds(first, end);
  return isSound ? 0 : DAMAGED;
}

/** Last. */
export function finishState(uppersBytes: u32, entry: u32, free: u32, cursor: u32): i32 {
  return takeRest(uppersBytes, entry, free, cursor) ? 0 : DAMAGED;
}

/** Packs the upper lists of the slots from `first` on, up to `packedTo`; gives their bytes. */
export function packUppers(first: u32): u32 {
  return pack(first);
}

export function packedTo(): u32 {
  return packedSlots;
}

/** While held, slots in use keep their vectors; while pinned, no slot is used again either. */
export function hold(held: bool, pinned: bool): void {
  holdSlots(held, pinned);
}

export function entrySlot(): u32 {
  return entryPoint;
}

export function freeSlot(): u32 {
  return freeHead;
}

export function sweepSlot(): u32 {
  return sweepCursor;
}

export function count(): u32 {
  return liveCount;
}

export function slots(): u32 {
  return slotCount;
}
