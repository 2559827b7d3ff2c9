/**
 * Several threads link slots into one graph. Each is an instance of the kernel on the same memory, with its own query,
 * pools and marks. The first stages slots (all of an insertion but its links), publishes where everything lies, and all
 * take staged slots one by one; until that is over the first allocates nothing for the graph and removes nothing.
 * A slot that is linked is struck off the list, so that what a lost thread leaves, or its locks kept from being linked, is
 * linked in the end. What else a lost thread leaves are lists written in part: links that were there or are to be.
 *
 * | board offset | content, u32 |
 * |---|---|
 * | 0 | number of the round, for the host; helpers wait for it to change |
 * | 4 | 0 |
 * | 8 | staged slots taken |
 * | 12 | staged slots |
 * | 16 | where their list is |
 * | 20 | entry point |
 * | 24 | whether there are dead slots |
 * | 28 | marks of the helpers, one table after another |
 * | 32 | bytes of one of them |
 * | 36 | places of the tables, see slots.ts |
 */
import { layOutBatch } from "./batch";
import {
  constructionBytes,
  entryPoint,
  insertSlot,
  linkSlot,
  setConstruction,
  setEntryPoint,
} from "./insert";
import { layOutLinking } from "./link";
import { levelOf } from "./lists";
import { takeLocksBack } from "./locks";
import { grownTo, take, takeFrom } from "./memory";
import { reserveQueries } from "./query";
import { layOutInput } from "./rows";
import { LIVE, layOut, liveCount, NONE, readPlaces, stateOf, tableRoom, writePlaces } from "./slots";

const BOARD_BYTES: u32 = 64;

export let board: usize = 0;
let helpers: u32 = 0;
/** Bytes that each has for itself, one behind the other. */
let regionBytes: u32 = 0;
let regions: usize = 0;
let marks: usize = 0;
let markRoom: u32 = 0;
let staged: usize = 0;
let stagedCount: u32 = 0;
let stagedRoom: u32 = 0;
/** Of these, those that `linkLeft` is done with. */
let leftAt: u32 = 0;
let me: u32 = 0;

/** The first thread: makes a board for so many helpers. Gives its address, or 0 if memory has run out. */
export function openBoard(count: u32, bytes: u32): usize {
  helpers = count;
  regionBytes = bytes;
  board = take(BOARD_BYTES);
  return board;
}

/** Room for the helpers, in whose rounds nothing is taken. False if memory has run out. */
export function reserveTeam(): bool {
  if (helpers === 0) return true;
  if (regions === 0) regions = take(<u64>regionBytes * helpers);
  return regions !== 0 && reserveMarks();
}

function reserveMarks(): bool {
  if (markRoom >= tableRoom()) return true;
  const next = take(<u64>tableRoom() * helpers);
  if (next === 0) return false;
  marks = next;
  markRoom = tableRoom();
  return true;
}

export function regionOf(index: u32): usize {
  return regions + index * regionBytes;
}

/** Notes a slot that is to be linked. False if memory has run out. */
export function stageSlot(slot: u32): bool {
  if (stagedCount === stagedRoom) {
    const room = grownTo(stagedRoom, max<u32>(stagedCount + 1, 1024));
    const next = take(<u64>room * 4);
    if (next === 0) return false;
    memory.copy(next, staged, stagedCount << 2);
    staged = next;
    stagedRoom = room;
  }
  store<u32>(staged + (stagedCount << 2), slot);
  stagedCount++;
  return true;
}

export function isStaging(): bool {
  return stagedCount > 0;
}

/** Opens a round for the helpers. Gives how many slots are staged. */
export function publish(hasDead: bool): u32 {
  leftAt = 0;
  leaveTheDead();
  store<u32>(board, 0, 8);
  store<u32>(board, stagedCount, 12);
  store<u32>(board, <u32>staged, 16);
  store<u32>(board, entryPoint, 20);
  store<u32>(board, <u32>hasDead, 24);
  store<u32>(board, <u32>marks, 28);
  store<u32>(board, markRoom, 32);
  writePlaces(board + 36);
  return stagedCount;
}

/**
 * Where all that lives is staged, walks from the entry point would meet nothing but dead slots: the staged slot of the highest
 * level takes its place, and needs no links.
 */
function leaveTheDead(): void {
  let living: u32 = 0;
  let best: u32 = 0;
  let bestLevel: u32 = 0;
  for (let i: u32 = 0; i < stagedCount; i++) {
    const slot = load<u32>(staged + (i << 2));
    if (stateOf(slot) !== LIVE) continue;
    const level = levelOf(slot);
    if (living++ !== 0 && level <= bestLevel) continue;
    best = i;
    bestLevel = level;
  }
  if (living === 0 || living < liveCount) return;
  const place = staged + (best << 2);
  setEntryPoint(load<u32>(place));
  store<u32>(place, load<u32>(staged + (--stagedCount << 2)));
}

/** Links one of the staged slots. False if all are taken. */
export function linkStaged(): bool {
  const place = ASC_FEATURE_THREADS ? atomic.add<u32>(board + 8, 1) : <u32>0;
  if (place >= load<u32>(board, 12)) return false;
  const at = <usize>load<u32>(board, 16) + (place << 2);
  const slot = load<u32>(at);
  if (stateOf(slot) !== LIVE || linkSlot(slot, load<u32>(board, 24) !== 0)) store<u32>(at, NONE);
  return true;
}

/** Nobody takes another slot. */
export function stopRound(): void {
  if (ASC_FEATURE_THREADS) atomic.store<u32>(board + 8, load<u32>(board, 12));
}

/** Links one of the slots that are left, once the helpers are done. False if none is. */
export function linkLeft(hasDead: bool): bool {
  if (leftAt === 0) takeLocksBack();
  while (leftAt < stagedCount) {
    const slot = load<u32>(staged + (leftAt++ << 2));
    if (slot === NONE || stateOf(slot) !== LIVE) continue;
    insertSlot(slot, hasDead);
    return true;
  }
  return false;
}

/** Forgets what was staged and is linked. Gives how many slots that were. */
export function closeRound(): u32 {
  const count = stagedCount;
  stagedCount = 0;
  return count;
}

/** Forgets what is staged; no helper may be at work. */
export function dropStaged(): void {
  takeLocksBack();
  stagedCount = 0;
}

/** Bytes that a helper needs for itself besides marks. */
export function helperBytes(dimension: u32, m: u32, efConstruction: u32): u32 {
  return 262144 + dimension * 64 + m * 192 + constructionBytes(efConstruction);
}

/** A helper: joins the board, in a region that the first took for it. */
export function join(
  at: usize,
  index: u32,
  region: usize,
  regionBytes: u32,
  dimension: u32,
  cosine: bool,
  m: u32,
  efConstruction: u32,
  quantized: bool,
): bool {
  board = at;
  me = index;
  takeFrom(region, regionBytes);
  return (
    layOut(dimension, m, cosine, quantized) &&
    setConstruction(efConstruction, m) &&
    layOutInput() &&
    layOutBatch() &&
    reserveQueries(1) &&
    layOutLinking()
  );
}

/** A helper: takes over what was published. */
export function adopt(): void {
  const room = load<u32>(board, 32);
  readPlaces(board + 36, <usize>load<u32>(board, 28) + <usize>room * me, room);
  setEntryPoint(load<u32>(board, 20));
}
