/**
 * The graph's state in and out, for snapshots. Links, vectors, ids and states go as they lie in memory; the upper lists are
 * packed, slot after slot: u32 slot, then its block as it lies in memory (u32 level, then M slots a level). Rows, norms and the
 * id map follow from these and are made again. What comes in may be damaged: nothing of it is trusted, so no walk can leave
 * memory. Called by the kernel.
 */
import { enterNewSlot } from "./ids";
import { setEntryPoint } from "./insert";
import { blockBytes, capacityOf, HEAD_BYTES, levelOf, listOf, MAX_LEVEL } from "./lists";
import { foresee, take, takeWords } from "./memory";
import { noteOpened } from "./origin";
import { restoreRemoval } from "./remove";
import { reserveRoom } from "./room";
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
  NONE,
  setSlotCount,
  setState,
  setUpper,
  slotCount,
  stateOf,
  upperOf,
  vectorOf,
} from "./slots";

/** Room for packed lists on their way out: of one slot at least, with all levels and the most links. */
const PACKED_BYTES: u32 = 16 * 1024;

export let packed: usize = 0;
/** Slots whose lists were packed. */
export let packedTo: u32 = 0;
/** Where the lists of a state are read to, and stay. */
export let uppers: usize = 0;

/** False if memory has run out. */
export function layOutState(): bool {
  packed = take(PACKED_BYTES);
  return packed !== 0;
}

/** Packs the upper lists of the slots from `first` on, as many as there is room for; gives their bytes. */
export function packUppers(first: u32): u32 {
  let bytes: u32 = 0;
  for (packedTo = first; packedTo < slotCount; packedTo++) {
    const block = upperOf(packedTo);
    if (block === 0) continue;
    const length = blockBytes(levelOf(packedTo));
    if (bytes + HEAD_BYTES + length > PACKED_BYTES) break;
    store<u32>(packed + bytes, packedTo);
    memory.copy(packed + bytes + HEAD_BYTES, block, length);
    bytes += HEAD_BYTES + length;
  }
  return bytes;
}

/** Room for a state of so many slots and bytes of upper lists. False if memory has run out. */
export function openSlots(slots: u32, uppersBytes: u32): bool {
  // Of ids, up to 4 bytes over 5/8 * 1/2.
  foresee(bytesOfSlots(slots) + <u64>slots * 13 + uppersBytes);
  if (!reserveRoom(slots)) return false;
  uppers = takeWords(uppersBytes);
  setSlotCount(slots);
  return uppers !== 0;
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
  if (!findUppers(uppersBytes) || !takeUpperLists() || !freeChainIsSound(free, freed)) return false;
  if (slotCount === 0) {
    if (entry !== NONE) return false;
  } else if (entry >= slotCount || stateOf(entry) === FREE) return false;
  if (cursor !== NONE && cursor >= slotCount) return false;
  setEntryPoint(entry);
  restoreRemoval(dead, free, cursor);
  noteOpened();
  return true;
}

/** Has each slot find its upper lists where they were read to. */
function findUppers(bytes: u32): bool {
  const end = uppers + bytes;
  let next: u32 = 0;
  for (let at = uppers; at < end; ) {
    if (<u32>(end - at) < HEAD_BYTES + blockBytes(0)) return false;
    const slot = load<u32>(at);
    const block = at + HEAD_BYTES;
    const level = load<u32>(block);
    if (slot < next || slot >= slotCount || level === 0 || level > MAX_LEVEL) return false;
    const length = HEAD_BYTES + blockBytes(level);
    if (<u32>(end - at) < length) return false;
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
