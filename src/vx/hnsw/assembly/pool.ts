/**
 * Sorted candidate pools: one sorted array in place of the paper's two heaps. An entry is a u64, the key's
 * bits made to sort as an unsigned number above slot * 2 + expanded, so one comparison orders by key, then slot.
 * Called by the walks, selection and re-ranking.
 */
import { take } from "./memory";

const EXPANDED: u64 = 1;

/** A key as bits that sort like the number. */
function sortable(key: f32): u32 {
  const bits = reinterpret<i32>(key);
  return <u32>(bits ^ ((bits >> 31) | <i32>0x80000000));
}

export function entryOf(key: f32, slot: u32): u64 {
  return ((<u64>sortable(key)) << 32) | ((<u64>slot) << 1);
}

export function keyOf(entry: u64): f32 {
  const bits = <i32>(entry >> 32);
  return reinterpret<f32>(bits < 0 ? bits ^ <i32>0x80000000 : ~bits);
}

export function slotOf(entry: u64): u32 {
  return <u32>entry >> 1;
}

/** Whether the keys are equal to the bit. */
export function areAsFar(a: u64, b: u64): bool {
  return (a ^ b) >> 32 === 0;
}

export function isExpanded(entry: u64): bool {
  return (entry & EXPANDED) !== 0;
}

export function setExpanded(pool: usize, index: u32): void {
  const at = pool + ((<usize>index) << 3);
  store<u64>(at, load<u64>(at) | EXPANDED);
}

export function entryAt(pool: usize, index: u32): u64 {
  return load<u64>(pool + ((<usize>index) << 3));
}

/** Where `entry` belongs in the first `size` entries, by a search without branches to mispredict. */
export function placeOfEntry(pool: usize, size: u32, entry: u64): u32 {
  let base: u32 = 0;
  let length = size;
  while (length > 1) {
    const half = length >> 1;
    base = select<u32>(base + half, base, load<u64>(pool + ((<usize>(base + half - 1)) << 3)) < entry);
    length -= half;
  }
  return length === 1 && load<u64>(pool + ((<usize>base) << 3)) < entry ? base + 1 : base;
}

/**
 * Puts `entry` in its place among `size` sorted entries. The caller has made sure that there is room for one
 * more, or that the last one may be overwritten (then it passes size - 1). Gives the place.
 */
export function insertEntry(pool: usize, size: u32, entry: u64): u32 {
  const place = placeOfEntry(pool, size, entry);
  const first = pool + ((<usize>place) << 3);
  let at = pool + ((<usize>size) << 3);
  if (at - first > 2048) {
    memory.copy(first + 8, first, at - first);
  } else {
    while (at - first >= 32) {
      const high = v128.load(at - 16);
      const low = v128.load(at - 32);
      v128.store(at - 8, high);
      v128.store(at - 24, low);
      at -= 32;
    }
    while (at > first) {
      store<u64>(at, load<u64>(at - 8));
      at -= 8;
    }
  }
  store<u64>(first, entry);
  return place;
}

/** Memory for a pool, or 0 if it has run out. */
export function takePool(capacity: u32): usize {
  return take(<u64>capacity * 8 + 32);
}
