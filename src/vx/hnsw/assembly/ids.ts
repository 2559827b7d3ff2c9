/**
 * The map from 64-bit ids to slots: open addressing with linear probing, deletion by shifting back, so no
 * tombstones. It is not stored: opening a snapshot fills it again. Called by insert, removal and look-ups.
 */
import { take } from "./memory";
import { mix } from "./mix";
import { idOf, NONE } from "./slots";

const FIRST_CAPACITY: u32 = 1024;

let table: usize = 0;
let mask: u32 = 0;

/** The low half of what the level is drawn from the high half of. */
function hashOf(id: u64): u32 {
  return <u32>mix(id);
}

/** Makes room for `count` ids at a load of at most 5/8. False, and nothing changed, if memory has run out. */
export function reserveIds(count: u32): bool {
  let capacity = table === 0 ? FIRST_CAPACITY : mask + 1;
  while (<u64>count * 8 > <u64>capacity * 5) capacity *= 2;
  if (table !== 0 && capacity === mask + 1) return true;
  const next = take(<u64>capacity * 4);
  if (next === 0) return false;
  const old = table;
  const oldMask = mask;
  table = next;
  mask = capacity - 1;
  memory.fill(table, 0xff, (<usize>capacity) << 2);
  if (old === 0) return true;
  for (let i: u32 = 0; i <= oldMask; i++) {
    const slot = load<u32>(old + ((<usize>i) << 2));
    if (slot !== NONE) place(slot);
  }
  return true;
}

function place(slot: u32): void {
  let at = hashOf(idOf(slot)) & mask;
  while (load<u32>(table + ((<usize>at) << 2)) !== NONE) at = (at + 1) & mask;
  store<u32>(table + ((<usize>at) << 2), slot);
}

/** The slot of an id, or NONE. */
export function findSlot(id: u64): u32 {
  let at = hashOf(id) & mask;
  let slot = load<u32>(table + ((<usize>at) << 2));
  while (slot !== NONE && idOf(slot) !== id) {
    at = (at + 1) & mask;
    slot = load<u32>(table + ((<usize>at) << 2));
  }
  return slot;
}

/** Enters a slot whose id is set and is not in the map; room was reserved. */
export function enterSlot(slot: u32): void {
  place(slot);
}

/** As `enterSlot`; false if the map has the id already. */
export function enterNewSlot(slot: u32): bool {
  const id = idOf(slot);
  let at = hashOf(id) & mask;
  for (;;) {
    const other = load<u32>(table + ((<usize>at) << 2));
    if (other === NONE) break;
    if (idOf(other) === id) return false;
    at = (at + 1) & mask;
  }
  store<u32>(table + ((<usize>at) << 2), slot);
  return true;
}

/** Takes an id that is in the map out of it. */
export function leaveSlot(id: u64): void {
  let hole = hashOf(id) & mask;
  while (idOf(load<u32>(table + ((<usize>hole) << 2))) !== id) hole = (hole + 1) & mask;
  for (let at = hole; ; ) {
    at = (at + 1) & mask;
    const slot = load<u32>(table + ((<usize>at) << 2));
    if (slot === NONE) break;
    const home = hashOf(idOf(slot)) & mask;
    if (((at - home) & mask) < ((at - hole) & mask)) continue;
    store<u32>(table + ((<usize>hole) << 2), slot);
    hole = at;
  }
  store<u32>(table + ((<usize>hole) << 2), NONE);
}
