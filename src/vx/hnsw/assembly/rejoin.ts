/**
 * Equal vectors once one of them is lost. Who led to it is led to another in its place (link.ts), so of those that it
 * led to itself some would be led to by none of the rest: a search that ends at their place would not find them. No
 * more links are made than that takes, so that those that lead to other places are met as before. Called by removal.
 */
import { addTwin } from "./link";
import { leadsTo, listOf } from "./lists";
import { haveEqualRows, LIVE, linkCapacity, NONE, stateOf } from "./slots";

/** Each of the equal vectors that the lost slot led to on level 0 is led to by another of them. */
export function rejoin(lost: u32): void {
  const list = listOf(lost, 0);
  let before = lastEqual(list, lost);
  for (let i: u32 = 0; i < linkCapacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) return;
    if (!isEqual(slot, lost)) continue;
    if (slot !== before && !isLedTo(slot, list, lost) && hasRoom(before) && hasRoom(slot))
      addTwin(before, slot);
    before = slot;
  }
}

function lastEqual(list: usize, lost: u32): u32 {
  let last = NONE;
  for (let i: u32 = 0; i < linkCapacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) break;
    if (isEqual(slot, lost)) last = slot;
  }
  return last;
}

function isEqual(slot: u32, lost: u32): bool {
  return stateOf(slot) === LIVE && haveEqualRows(slot, lost);
}

/** Whether another of the equal ones in the list leads to the slot. */
function isLedTo(slot: u32, list: usize, lost: u32): bool {
  for (let i: u32 = 0; i < linkCapacity; i++) {
    const other = load<u32>(list + (i << 2));
    if (other === NONE) return false;
    if (isEqual(other, lost) && leadsTo(other, slot, 0)) return true;
  }
  return false;
}

/** A full list would be chosen anew, and lose others. */
function hasRoom(slot: u32): bool {
  return load<u32>(listOf(slot, 0) + ((linkCapacity - 1) << 2)) === NONE;
}
