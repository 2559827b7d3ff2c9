/**
 * The graph's state in and out, for snapshots. Links, vectors, ids and states go as they lie in memory; the upper
 * lists are packed: by slot, u32 slot, u32 level, then M slots a level. Rows, norms and the id map follow from
 * these and are made again. What comes in may be damaged: nothing of it is trusted, so no walk can leave memory.
 * Called by the kernel.
 */
import { enterNewSlot, reserveIds } from "./ids";
import { setEntryPoint } from "./insert";
import { capacityOf, levelOf, listOf, MAX_LEVEL, takeLists } from "./lists";
import { foresee, grownTo, take } from "./memory";
import { noteOpened } from "./origin";
import { restoreRemoval } from "./remove";
import { deriveRow, isSurelyValid, isValidSquare, largestOf, squareOf } from "./rows";
import {
  allStates,
  bytesOfSlots,
  CONDEMNED,
  cosine,
  DEAD,
  FREE,
  LIVE,
  linkBytes,
  linkCapacity,
  linksOf,
  m,
  NONE,
  reserveSlots,
  setSlotCount,
  setState,
  setUpper,
  slotCount,
  stateOf,
  upperOf,
  vectorOf,
} from "./slots";

export let packed: usize = 0;
let packedCapacity: u32 = 0;

/** Room for `bytes` of packed upper lists. False if memory has run out. */
export function reservePacked(bytes: u32): bool {
  if (packed !== 0 && bytes <= packedCapacity) return true;
  const capacity = grownTo(packedCapacity, bytes);
  const next = take(capacity);
  if (next === 0) return false;
  packed = next;
  packedCapacity = capacity;
  return true;
}

function packedBytesOf(slot: u32): u32 {
  return upperOf(slot) === 0 ? 0 : 8 + levelOf(slot) * m * 4;
}

/** Packs the upper lists; gives their bytes, or -1 if memory has run out. */
export function packUppers(): i32 {
  let bytes: u32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) bytes += packedBytesOf(slot);
  if (!reservePacked(bytes)) return -1;
  let at = packed;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    const length = packedBytesOf(slot);
    if (length === 0) continue;
    store<u32>(at, slot);
    // The block is its level, then its lists.
    memory.copy(at + 4, upperOf(slot), length - 4);
    at += length;
  }
  return bytes;
}

/** Room for a state of so many slots and bytes of upper lists. False if memory has run out. */
export function openSlots(slots: u32, uppersBytes: u32): bool {
  // Of ids, up to 4 bytes over 5/8 * 1/2; upper lists lie packed and unpacked, on cache lines.
  foresee(bytesOfSlots(slots) + <u64>slots * 13 + <u64>uppersBytes * 3);
  if (!reserveSlots(slots) || !reserveIds(slots) || !reservePacked(uppersBytes)) return false;
  setSlotCount(slots);
  return true;
}

let dead: u32 = 0;
let freed: u32 = 0;

/** Takes over the states that were put in; false if they are none. To be called before the parts below are taken. */
export function takeStates(): bool {
  dead = 0;
  freed = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    const state = stateOf(slot);
    if (state > CONDEMNED) return false;
    // The byte came in as it is; its bit and the count of live slots follow.
    store<u8>(allStates() + slot, FREE);
    setState(slot, state);
    dead += <u32>(state === DEAD || state === CONDEMNED);
    freed += <u32>(state === FREE);
  }
  return true;
}

/** Enters the ids of the slots from `first` to before `end`; false if one is there twice. */
export function takeIds(first: u32, end: u32): bool {
  for (let slot = first; slot < end; slot++) {
    if (stateOf(slot) === LIVE && !enterNewSlot(slot)) return false;
  }
  return true;
}

/** Takes over the lists of level 0 of some slots; false if one is damaged. */
export function takeLinks(first: u32, end: u32): bool {
  for (let slot = first; slot < end; slot++) {
    if (stateOf(slot) === FREE || (freed === 0 && isSurelySound(slot))) continue;
    if (!takeList(slot, 0)) return false;
  }
  return true;
}

/** Makes norms and int8 rows of the vectors of some slots; false if one cannot be a vector. */
export function takeVectors(first: u32, end: u32): bool {
  for (let slot = first; slot < end; slot++) {
    if (stateOf(slot) === FREE) continue;
    const vector = vectorOf(slot);
    const largest = largestOf(vector);
    let square: f64 = 0;
    // Under L2 nothing but its being a number comes of the square.
    if (cosine || !isSurelyValid(largest)) {
      square = squareOf(vector);
      if (!isValidSquare(square)) return false;
    }
    deriveRow(slot, square, largest);
  }
  return true;
}

/** Takes over the upper lists and what lies in no arena, when all else is taken; false if all of it cannot be a graph. */
export function takeRest(uppersBytes: u32, entry: u32, free: u32, cursor: u32): bool {
  if (!unpackUppers(uppersBytes) || !takeUpperLists() || !freeChainIsSound(free, freed)) return false;
  if (slotCount === 0) {
    if (entry !== NONE) return false;
  } else if (entry >= slotCount || stateOf(entry) === FREE) return false;
  if (cursor !== NONE && cursor >= slotCount) return false;
  setEntryPoint(entry);
  restoreRemoval(dead, free, cursor);
  noteOpened();
  return true;
}

function unpackUppers(bytes: u32): bool {
  const end = packed + bytes;
  let next: u32 = 0;
  for (let at = packed; at < end; ) {
    if (<u32>(end - at) < 8) return false;
    const slot = load<u32>(at);
    const level = load<u32>(at, 4);
    if (slot < next || slot >= slotCount || level === 0 || level > MAX_LEVEL) return false;
    const length: u32 = 8 + level * m * 4;
    if (<u32>(end - at) < length) return false;
    const block = takeLists(level);
    if (block === 0) return false;
    memory.copy(block, at + 4, length - 4);
    setUpper(slot, block);
    next = slot + 1;
    at += length;
  }
  return true;
}

/** Whether all links of a slot on level 0 lead to slots, free or not, and nothing follows the end: four words a step. */
function isSurelySound(slot: u32): bool {
  if ((linkCapacity & 3) !== 0) return false;
  const none = i32x4.splat(-1);
  let most = i32x4.splat(0);
  let behind = i32x4.splat(0);
  const list = linksOf(slot);
  const last = list + linkBytes - 16;
  let four = v128.load(list);
  let ended = i32x4.eq(four, none);
  for (let at = list; at < last; ) {
    // An end becomes 0, so that the largest of all is the last slot's number, plus one.
    most = i32x4.max_u(most, i32x4.sub(four, none));
    at += 16;
    four = v128.load(at);
    const next = i32x4.eq(four, none);
    behind = v128.or(behind, v128.andnot(ended, v128.shuffle<i32>(ended, next, 1, 2, 3, 4)));
    ended = next;
  }
  most = i32x4.max_u(most, i32x4.sub(four, none));
  behind = v128.or(behind, v128.andnot(ended, v128.shuffle<i32>(ended, none, 1, 2, 3, 4)));
  return !v128.any_true(v128.or(behind, i32x4.gt_u(most, i32x4.splat(slotCount))));
}

/** Takes over the lists of level 1 and up; false if one is damaged. */
function takeUpperLists(): bool {
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (stateOf(slot) === FREE) continue;
    for (let level = levelOf(slot); level > 0; level--) if (!takeList(slot, level)) return false;
  }
  return true;
}

/**
 * False if a list leads elsewhere than to slots in the graph, on levels they have. What follows the end of one that was read
 * while it was written is taken away, for the next link would bring it back.
 */
function takeList(slot: u32, level: u32): bool {
  const list = listOf(slot, level);
  const capacity = capacityOf(level);
  for (let i: u32 = 0; i < capacity; i++) {
    const target = load<u32>(list + (i << 2));
    if (target === NONE) {
      memory.fill(list + (i << 2), 0xff, (capacity - i) << 2);
      break;
    }
    if (target >= slotCount || stateOf(target) === FREE) return false;
    if (level > 0 && levelOf(target) < level) return false;
  }
  return true;
}

function freeChainIsSound(head: u32, length: u32): bool {
  let slot = head;
  for (let i: u32 = 0; i < length; i++) {
    if (slot >= slotCount || stateOf(slot) !== FREE) return false;
    slot = load<u32>(linksOf(slot));
  }
  return slot === NONE;
}
