/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4) for frames, headers and chunks, and CRC-32 (ISO 3309) for zip
 * entries. Called by the formats of this folder. All but short inputs go through WebAssembly: sixteen bytes a step
 * (Kounavis and Berry, 2005, "slicing"), and before that what is long is made short.
 *
 * A checksum is the remainder of a polynomial, so bytes may be added to others if what is added is a multiple of the
 * divisor. Of each divisor there are multiples of four terms, all of them whole bytes apart: a byte at place i goes into the
 * three places behind it at those distances, and is then gone (Russell, 2024, "Chorba", arXiv:2412.16398). What is left
 * in the end is as long as the longest distance. The shortest is beyond 1 KiB: bytes that were just written are slow to read.
 */
import {
  BYTES_OFFSET,
  type CrcModule,
  crcModule,
  type Distances,
  FOLDED_BYTES,
  LAST_OFFSET,
  ROOM_BYTES,
  WINDOW_BYTES,
} from "./crc32-wasm.ts";

/** Below this, byte by byte is as fast. */
const SHORT_BYTES = 64;

/** From here on it is worth while to make the input short. */
const LONG_BYTES = 4 * WINDOW_BYTES;

/** The checksum of the bytes; `before` is that of the bytes that precede them. */
type Crc = (bytes: Uint8Array, before?: number) => number;

export const crc32c: Crc = crcOf(0x82f63b78, [1747, 2830, 5321]);
export const crc32: Crc = crcOf(0xedb88320, [1927, 2181, 4018]);

function crcOf(polynomial: number, distances: Distances): Crc {
  const table = sliceTable(polynomial);
  let module: CrcModule | undefined;
  return (bytes, before = 0) => {
    let crc = ~before;
    let offset = 0;
    if (bytes.byteLength >= SHORT_BYTES) {
      module ??= moduleWith(table, distances);
      while (bytes.byteLength - offset >= LONG_BYTES) {
        const folded = Math.min(ROOM_BYTES - WINDOW_BYTES, bytes.byteLength - offset - WINDOW_BYTES);
        const step = (folded & -FOLDED_BYTES) + WINDOW_BYTES;
        crc = updateLong(module, distances, crc, bytes.subarray(offset, offset + step));
        offset += step;
      }
      const rest = (bytes.byteLength - offset) & ~15;
      if (rest > 0) crc = update(module, crc, bytes.subarray(offset, offset + rest));
      offset += rest;
    }
    for (; offset < bytes.byteLength; offset++) {
      crc = (table[(crc ^ (bytes[offset] as number)) & 255] as number) ^ (crc >>> 8);
    }
    return ~crc >>> 0;
  };
}

function update(module: CrcModule, crc: number, bytes: Uint8Array): number {
  new Uint8Array(module.memory.buffer, BYTES_OFFSET, bytes.byteLength).set(bytes);
  return module.update(crc, BYTES_OFFSET, BYTES_OFFSET + bytes.byteLength);
}

/** All but a window of the bytes go into that window, which takes nothing from itself: zeros stand in its place. */
function updateLong(module: CrcModule, [, , longest]: Distances, crc: number, bytes: Uint8Array): number {
  const folded = bytes.byteLength - WINDOW_BYTES;
  const end = BYTES_OFFSET + folded;
  const room = new Uint8Array(module.memory.buffer, BYTES_OFFSET, bytes.byteLength);
  room.set(bytes.subarray(0, folded));
  room.fill(0, folded);
  const [first] = new Uint32Array(module.memory.buffer, BYTES_OFFSET, 1);
  new Uint32Array(module.memory.buffer, BYTES_OFFSET, 1)[0] = (first as number) ^ crc;
  module.fold(BYTES_OFFSET - longest, BYTES_OFFSET, end);
  new Uint8Array(module.memory.buffer, LAST_OFFSET, WINDOW_BYTES).set(bytes.subarray(folded));
  module.fold(end - longest, LAST_OFFSET, LAST_OFFSET + WINDOW_BYTES);
  return module.update(0, LAST_OFFSET, LAST_OFFSET + WINDOW_BYTES);
}

function moduleWith(table: Int32Array, distances: Distances): CrcModule {
  const module = crcModule(distances);
  new Int32Array(module.memory.buffer, 0, table.length).set(table);
  return module;
}

/** Entry 256 s + b: what byte b does to the checksum when s more bytes follow. */
function sliceTable(polynomial: number): Int32Array {
  const table = new Int32Array(16 * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    table[byte] = crc;
  }
  for (let i = 256; i < table.length; i++) {
    const shorter = table[i - 256] as number;
    table[i] = (shorter >>> 8) ^ (table[shorter & 255] as number);
  }
  return table;
}
