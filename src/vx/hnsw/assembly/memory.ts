/**
 * Raw memory: a bump allocator that never frees, over one linear memory that grows to what wasm32 holds.
 * Called by every arena; a 0 from `take` is the only way the kernel learns that memory has run out, and it is
 * always asked before anything is changed, so running out leaves the graph as it was.
 */

/** Arenas start on a cache line, so that a row of 128 bytes spans two lines and not three. */
const LINE_BYTES: u32 = 64;

/** Largest end address given out: the last page stays free, so that reads of whole vectors cannot pass 4 GiB. */
const WASM32_END: u64 = 0xffff0000;

/** Memory grows by at least so many pages of 64 KiB, and one to so many that it has. */
const LEAST_GROWTH_PAGES: i32 = 4;
const GROWTH_SHARE: i32 = 16;

let top: usize = __heap_base;
let end: u64 = WASM32_END;

/** Lowers the limit from what wasm32 holds to `bytes`. */
export function limitMemory(bytes: u64): void {
  end = min(bytes, WASM32_END);
}

/** From now on `take` gives from a region that another thread took. */
export function takeFrom(start: usize, bytes: u32): void {
  top = start;
  end = <u64>start + bytes;
}

/** `bytes` of zeroed memory on cache lines, or 0 if they cannot be had. Whole lines: then the order of takes costs nothing. */
export function take(bytes: u64): usize {
  return takeOn(LINE_BYTES, (bytes + LINE_BYTES - 1) & ~(<u64>LINE_BYTES - 1));
}

/** As `take`, of what is many and small: on a word. */
export function takeWords(bytes: u64): usize {
  return takeOn(4, bytes);
}

function takeOn(boundary: u32, bytes: u64): usize {
  const start = ((<u64>top + boundary - 1) / boundary) * boundary;
  const after = start + bytes;
  if (after > end) return 0;
  if (!growTo(after)) return 0;
  top = <usize>after;
  return <usize>start;
}

/**
 * Grows memory by some more than is needed, where it can be had: growing takes as long for one page as for many, and longer
 * the larger memory is, for its host then collects garbage. Pages that nobody has written to cost nothing.
 */
function growTo(wanted: u64): bool {
  const size = memory.size();
  const missing = <i32>((wanted + 0xffff) >> 16) - size;
  if (missing <= 0) return true;
  const most = <i32>((end + 0xffff) >> 16) - size;
  if (memory.grow(min(max(missing, LEAST_GROWTH_PAGES + size / GROWTH_SHARE), most)) >= 0) return true;
  return memory.grow(missing) >= 0;
}

/** Grows memory once for `bytes` that will be taken bit by bit; where it can't, taking them will tell. */
export function foresee(bytes: u64): void {
  growTo(min(<u64>top + bytes, end));
}

/**
 * How large to make what holds `had` and must hold `wanted`: at least double, so that all the places it left
 * behind are together no larger than the one it has.
 */
export function grownTo(had: u32, wanted: u32): u32 {
  return max(wanted, <u32>min(<u64>had * 2, <u64>u32.MAX_VALUE));
}

/** Bytes in use. */
export function usedBytes(): u32 {
  return <u32>top;
}
