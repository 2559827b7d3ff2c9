/**
 * Neighbour lists: slots ended by NONE. Level 0 lies in the segments; the lists of level 1 and up of a slot are
 * one block elsewhere (u32 level, then M slots a level), kept for reuse by its level once the slot is free. Before it lies a
 * word for the slot's number: so it is stored, and so what was stored is used where it was read to.
 * Called by walks, linking and removal.
 */
import { take, takeWords } from "./memory";
import { mix } from "./mix";
import { linkCapacity, linksOf, m, NONE, setUpper, upperOf } from "./slots";

/** Chance of level l is M^-l; beyond 2^-32 a hash has no bits left to say so. */
export const MAX_LEVEL: u32 = 31;

/** Before a block. */
export const HEAD_BYTES: u32 = 4;

let freeBlocks: usize = 0;

/** False if memory has run out. */
export function layOutLists(): bool {
  freeBlocks = take((MAX_LEVEL + 1) * 4);
  return freeBlocks !== 0;
}

export function blockBytes(level: u32): u32 {
  return 4 + level * m * 4;
}

/** The level of an id: a hash decides, so that the same inserts build the same graph (paper: mL = 1 / ln M). */
export function levelOfId(id: u64): u32 {
  const draw = <u32>(mix(id) >> 32);
  let level: u32 = 0;
  let threshold: u32 = u32.MAX_VALUE / m;
  while (draw < threshold && level < MAX_LEVEL) {
    level++;
    threshold /= m;
  }
  return level;
}

/** A block for the lists of levels 1 to `level`, all empty; 0 if memory has run out. */
export function takeLists(level: u32): usize {
  const head = freeBlocks + (level << 2);
  let block = <usize>load<u32>(head);
  if (block !== 0) store<u32>(head, load<u32>(block, 4));
  else {
    const place = takeWords(HEAD_BYTES + blockBytes(level));
    if (place === 0) return 0;
    block = place + HEAD_BYTES;
  }
  store<u32>(block, level);
  memory.fill(block + 4, 0xff, blockBytes(level) - 4);
  return block;
}

/** Gives the slot's upper block back. */
export function releaseLists(slot: u32): void {
  const block = upperOf(slot);
  if (block === 0) return;
  giveListsBack(block);
  setUpper(slot, 0);
}

/** Keeps a block for the next slot of its level. */
function giveListsBack(block: usize): void {
  const head = freeBlocks + (load<u32>(block) << 2);
  store<u32>(block, load<u32>(head), 4);
  store<u32>(head, <u32>block);
}

export function levelOf(slot: u32): u32 {
  const block = upperOf(slot);
  return block === 0 ? 0 : load<u32>(block);
}

export function listOf(slot: u32, level: u32): usize {
  return level === 0 ? linksOf(slot) : upperOf(slot) + 4 + (level - 1) * m * 4;
}

export function capacityOf(level: u32): u32 {
  return level === 0 ? linkCapacity : m;
}

/** Where a slot stands in a list, or else where the list ends. */
export function placeOf(slot: u32, list: usize, capacity: u32): u32 {
  let place: u32 = 0;
  for (; place < capacity; place++) {
    const other = load<u32>(list + (place << 2));
    if (other === slot || other === NONE) break;
  }
  return place;
}

export function leadsTo(from: u32, to: u32, level: u32): bool {
  const list = listOf(from, level);
  const capacity = capacityOf(level);
  const place = placeOf(to, list, capacity);
  return place < capacity && load<u32>(list + (place << 2)) === to;
}
