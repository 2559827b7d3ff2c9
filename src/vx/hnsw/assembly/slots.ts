/**
 * Where everything of a slot lies. A slot is a dense 32-bit number; slots live in segments that never move, and
 * inside a segment links, int8 rows, f32 vectors, ids, upper-list pointers and norms are arenas of their own.
 * What a walk reads at random and keeps hot (visited marks, states) lies outside, one byte a slot.
 *
 * | segment | bytes a slot | content |
 * |---|---|---|
 * | links | 4 * 2M | level 0, slots, ended by NONE |
 * | rows | dim padded to 16, + 8, padded to 16 | int8, f32 scale, f32 half the squared norm (int8 walk only) |
 * | vectors | 4 * dim padded to 4 | f32 as given |
 * | ids | 8 | u64 |
 * | uppers | 4 | pointer to the lists of level 1 and up, 0 if none |
 * | norms | 4 | f32, 1 / norm (cosine only) |
 */
import { take } from "./memory";

export const NONE: u32 = 0xffffffff;

/** States of a slot, see remove.ts. */
export const FREE: u8 = 0;
export const LIVE: u8 = 1;
export const DEAD: u8 = 2;
export const CONDEMNED: u8 = 3;
/** Condemned, and nothing leads to it any more; it is still to be read. */
export const SWEPT: u8 = 4;

/** A segment is at most about this long, so that growing costs a page fault a page and no pause. */
const SEGMENT_BYTES: u32 = 16 * 1024 * 1024;
const MAX_SEGMENT_BITS: u32 = 12;
/** A run of a scan lies in one segment. */
const MIN_SEGMENT_BITS: u32 = 5;
const MAX_SEGMENTS: u32 = 16384;

export let dimension: u32 = 0;
export let paddedDimension: u32 = 0;
export let rowBytes: u32 = 0;
export let vectorBytes: u32 = 0;
export let m: u32 = 0;
export let linkCapacity: u32 = 0;
export let linkBytes: u32 = 0;
export let cosine: bool = false;
export let quantized: bool = false;

/** Slots ever used; every slot is below it. */
export let slotCount: u32 = 0;
export let slotCapacity: u32 = 0;
export let liveCount: u32 = 0;

let segmentBits: u32 = 0;
let segmentMask: u32 = 0;
let segmentBytes: u64 = 0;
let segmentCount: u32 = 0;
let rowsAt: u32 = 0;
let vectorsAt: u32 = 0;
let idsAt: u32 = 0;
let uppersAt: u32 = 0;
let normsAt: u32 = 0;

let segments: usize = 0;
let states: usize = 0;
let liveBits: usize = 0;
export let visited: usize = 0;
/** One byte a slot, see locks.ts; in the build for several threads alone. */
export let locks: usize = 0;
/** As `visited`, of a reader (reader.ts), and a bit a slot for what it may find; in that build alone. */
let readerMarks: usize = 0;
let readerFilter: usize = 0;
let tableCapacity: u32 = 0;

/** Lays out the arenas. False if memory has run out. */
export function layOut(dim: u32, links: u32, isCosine: bool, isQuantized: bool): bool {
  dimension = dim;
  paddedDimension = (dim + 15) & ~15;
  m = links;
  linkCapacity = links * 2;
  linkBytes = linkCapacity * 4;
  cosine = isCosine;
  quantized = isQuantized;
  rowBytes = isQuantized ? (paddedDimension + 8 + 15) & ~15 : 0;
  vectorBytes = ((dim + 3) & ~3) * 4;
  const normBytes: u32 = isCosine ? 4 : 0;
  const slotBytes = linkBytes + rowBytes + vectorBytes + 8 + 4 + normBytes;
  segmentBits = MAX_SEGMENT_BITS;
  while (segmentBits > MIN_SEGMENT_BITS && slotBytes << segmentBits > SEGMENT_BYTES) segmentBits--;
  const slots: u32 = 1 << segmentBits;
  segmentMask = slots - 1;
  rowsAt = slots * linkBytes;
  vectorsAt = rowsAt + slots * rowBytes;
  idsAt = vectorsAt + slots * vectorBytes;
  uppersAt = idsAt + slots * 8;
  normsAt = uppersAt + slots * 4;
  segmentBytes = <u64>normsAt + slots * normBytes;
  segments = take(MAX_SEGMENTS * 4);
  return segments !== 0;
}

/** Bytes that `count` slots take in segments and tables, about. */
export function bytesOfSlots(count: u32): u64 {
  return <u64>((count >> segmentBits) + 1) * segmentBytes + <u64>count * 4;
}

/** Makes room for `count` slots. False, and nothing changed, if memory has run out. */
export function reserveSlots(count: u32): bool {
  while (slotCapacity < count) {
    if (segmentCount === MAX_SEGMENTS) return false;
    const wanted = (segmentCount + 1) << segmentBits;
    if (wanted > tableCapacity && !growTables(wanted)) return false;
    const segment = take(segmentBytes);
    if (segment === 0) return false;
    store<u32>(segments + segmentCount * 4, <u32>segment);
    segmentCount++;
    slotCapacity = wanted;
  }
  return true;
}

/** Moves the byte-a-slot tables to a place of twice the size; what they leave behind is never more than they are. */
function growTables(count: u32): bool {
  const capacity = max(count, tableCapacity * 2);
  const bytesASlot: u32 = ASC_FEATURE_THREADS ? 4 : 2;
  const bitBytes = (capacity / 8 + 8 + 15) & ~15;
  const block = take(<u64>capacity * bytesASlot + (ASC_FEATURE_THREADS ? 2 : 1) * bitBytes);
  if (block === 0) return false;
  const bits = block + capacity * bytesASlot;
  memory.copy(block, states, tableCapacity);
  memory.copy(block + capacity, visited, tableCapacity);
  memory.copy(bits, liveBits, tableCapacity / 8);
  states = block;
  visited = block + capacity;
  liveBits = bits;
  if (ASC_FEATURE_THREADS) {
    // Nobody holds a lock, or reads, while tables grow.
    locks = block + capacity * 2;
    readerMarks = block + capacity * 3;
    readerFilter = bits + bitBytes;
  }
  tableCapacity = capacity;
  return true;
}

function segmentOf(slot: u32): usize {
  return load<u32>(segments + ((slot >> segmentBits) << 2));
}

export function linksOf(slot: u32): usize {
  return segmentOf(slot) + (slot & segmentMask) * linkBytes;
}

export function rowOf(slot: u32): usize {
  return segmentOf(slot) + rowsAt + (slot & segmentMask) * rowBytes;
}

export function vectorOf(slot: u32): usize {
  return segmentOf(slot) + vectorsAt + (slot & segmentMask) * vectorBytes;
}

/** What a walk computes distances on. */
export function walkRowOf(slot: u32): usize {
  return quantized ? rowOf(slot) : vectorOf(slot);
}

/** Whether they are as far from anything, whatever it is. */
export function haveEqualRows(a: u32, b: u32): bool {
  return memory.compare(walkRowOf(a), walkRowOf(b), quantized ? paddedDimension + 8 : vectorBytes) === 0;
}

export function idOf(slot: u32): u64 {
  return load<u64>(segmentOf(slot) + idsAt + (slot & segmentMask) * 8);
}

export function setId(slot: u32, id: u64): void {
  store<u64>(segmentOf(slot) + idsAt + (slot & segmentMask) * 8, id);
}

export function upperOf(slot: u32): usize {
  return load<u32>(segmentOf(slot) + uppersAt + (slot & segmentMask) * 4);
}

export function setUpper(slot: u32, block: usize): void {
  store<u32>(segmentOf(slot) + uppersAt + (slot & segmentMask) * 4, <u32>block);
}

export function inverseNormOf(slot: u32): f32 {
  return load<f32>(segmentOf(slot) + normsAt + (slot & segmentMask) * 4);
}

export function setInverseNorm(slot: u32, norm: f32): void {
  store<f32>(segmentOf(slot) + normsAt + (slot & segmentMask) * 4, norm);
}

export function stateOf(slot: u32): u8 {
  return load<u8>(states + slot);
}

export function setState(slot: u32, state: u8): void {
  const was = load<u8>(states + slot);
  store<u8>(states + slot, state);
  const word = liveBits + ((slot >> 5) << 2);
  const bit: u32 = 1 << (slot & 31);
  if (state === LIVE) store<u32>(word, load<u32>(word) | bit);
  else store<u32>(word, load<u32>(word) & ~bit);
  liveCount += <u32>(state === LIVE) - <u32>(was === LIVE);
}

/** One bit a slot, set where it is live. */
export function liveWords(): usize {
  return liveBits;
}

/** The next slot never used; its memory must be reserved. */
export function freshSlot(): u32 {
  return slotCount++;
}

export function setSlotCount(count: u32): void {
  slotCount = count;
}

/** Forgets every slot but keeps the memory. */
export function forgetSlots(): void {
  memory.fill(states, 0, tableCapacity);
  memory.fill(liveBits, 0, tableCapacity / 8);
  slotCount = 0;
  liveCount = 0;
}

/** Where the tables are, for another thread. */
export function writePlaces(at: usize): void {
  store<u32>(at, <u32>segments);
  store<u32>(at, <u32>states, 4);
  store<u32>(at, <u32>locks, 8);
  store<u32>(at, slotCount, 12);
}

/** As `writePlaces`, with all that a search looks at, for a reader. */
export function writeReaderPlaces(at: usize): void {
  writePlaces(at);
  store<u32>(at, <u32>readerMarks, 16);
  store<u32>(at, tableCapacity, 20);
  store<u32>(at, <u32>liveBits, 24);
  store<u32>(at, liveCount, 28);
  store<u32>(at, <u32>readerFilter, 32);
}

export function readReaderPlaces(at: usize): void {
  readPlaces(at, load<u32>(at, 16), load<u32>(at, 20));
  liveBits = load<u32>(at, 24);
  liveCount = load<u32>(at, 28);
  readerFilter = load<u32>(at, 32);
}

/** Where a reader has what it may find. */
export function filterOfReader(): usize {
  return readerFilter;
}

/** Takes over where another thread has its tables; `marks` are this thread's own, a byte a slot, 0 if they are new. */
export function readPlaces(at: usize, marks: usize, markCapacity: u32): void {
  segments = load<u32>(at);
  states = load<u32>(at, 4);
  locks = load<u32>(at, 8);
  slotCount = load<u32>(at, 12);
  visited = marks;
  tableCapacity = markCapacity;
}

export function tableRoom(): u32 {
  return tableCapacity;
}

/** One byte a slot. */
export function allStates(): usize {
  return states;
}

/** Address of an arena's part in one segment: 0 links, 1 vectors, 2 ids. */
export function arenaOf(arena: u32, segment: u32): usize {
  const start = <usize>load<u32>(segments + (segment << 2));
  return arena === 0 ? start : start + (arena === 1 ? vectorsAt : idsAt);
}

export function segmentSlots(): u32 {
  return segmentMask + 1;
}
