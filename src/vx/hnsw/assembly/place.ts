/**
 * Putting a vector, its id and what belongs to it in a slot; the links are insert's matter. Called by the kernel's add and
 * stage. Everything that memory could refuse is had before anything is changed.
 */
import { enterSlot, findSlot } from "./ids";
import { levelOfId, takeLists } from "./lists";
import { notePlaced } from "./origin";
import { deadCount, maySweep, removeSlot, sweepAll, takeFreeSlot } from "./remove";
import { reserveRoom } from "./room";
import { input, isValid, storeVector } from "./rows";
import {
  freshSlot,
  LIVE,
  linkBytes,
  linksOf,
  liveCount,
  NONE,
  setId,
  setState,
  setUpper,
  slotCount,
} from "./slots";

/** Memory has run out, or the most elements are there. */
export const FULL: i32 = -1;
export const INVALID_VECTOR: i32 = -2;

let mostElements: u32 = 0;

export function allowElements(most: u32): void {
  mostElements = most;
}

/** Puts the vector in the input under an id, in place of what it held. Gives the slot or a code. */
export function place(id: u64): i32 {
  if (!isValid(input)) return INVALID_VECTOR;
  const old = findSlot(id);
  if (old === NONE && liveCount >= mostElements) return FULL;
  let slot = claimSlot();
  let replaced = old === NONE;
  if (slot === NONE && !replaced && maySweep()) {
    // The last way to a slot is the one that is being replaced.
    removeSlot(old);
    replaced = true;
    slot = claimSlot();
  }
  if (slot === NONE) return FULL;
  const level = levelOfId(id);
  setId(slot, id);
  // Without memory for its lists, the slot is on level 0 alone.
  setUpper(slot, level === 0 ? 0 : takeLists(level));
  storeVector(slot);
  memory.fill(linksOf(slot), 0xff, linkBytes);
  setState(slot, LIVE);
  if (!replaced) removeSlot(old);
  enterSlot(slot);
  notePlaced();
  return slot;
}

/** A slot to fill: one that was freed, a new one, or one that a sweep can free at once. */
function claimSlot(): u32 {
  let slot = takeFreeSlot();
  if (slot !== NONE) return slot;
  if (reserveRoom(slotCount + 1)) return freshSlot();
  if (deadCount > 0 && sweepAll()) slot = takeFreeSlot();
  return slot;
}
