/** Raw memory that is taken and never given back: an instance lives as long as one fit or one model. */

const LINE_BYTES: u64 = 64;

/** The last page of wasm32 stays free, so that no address wraps around. */
const END: u64 = 0xffff0000;

let top: usize = __heap_base;

/** `bytes` of zeroed memory on a cache line, or 0 if they cannot be had. */
export function take(bytes: f64): usize {
  const start = ((<u64>top + LINE_BYTES - 1) / LINE_BYTES) * LINE_BYTES;
  const after = start + <u64>bytes;
  if (after > END) return 0;
  const missing = <i32>((after + 0xffff) >> 16) - memory.size();
  if (missing > 0 && memory.grow(missing) < 0) return 0;
  top = <usize>after;
  return <usize>start;
}
