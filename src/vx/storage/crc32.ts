/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4) for frames, headers and chunks, and CRC-32 (ISO 3309) for zip
 * entries. Called by the formats of this folder. Sixteen bytes a step (Kounavis and Berry, 2005, "slicing"), in
 * WebAssembly for all but short inputs.
 */
import { BYTES_OFFSET, type CrcModule, crcModule, ROOM_BYTES } from "./crc32-wasm.ts";

/** Below this, byte by byte is as fast. */
const SHORT_BYTES = 64;

/** The checksum of the bytes; `before` is that of the bytes that precede them. */
type Crc = (bytes: Uint8Array, before?: number) => number;

export const crc32c: Crc = crcOf(0x82f63b78);
export const crc32: Crc = crcOf(0xedb88320);

function crcOf(polynomial: number): Crc {
  const table = sliceTable(polynomial);
  let module: CrcModule | undefined;
  return (bytes, before = 0) => {
    let crc = ~before;
    let offset = 0;
    if (bytes.byteLength >= SHORT_BYTES) {
      module ??= moduleWith(table);
      for (const whole = bytes.byteLength & ~15; offset < whole; ) {
        const step = Math.min(ROOM_BYTES, whole - offset);
        const room = new Uint8Array(module.memory.buffer, BYTES_OFFSET, step);
        room.set(bytes.subarray(offset, offset + step));
        crc = module.update(crc, BYTES_OFFSET, BYTES_OFFSET + step);
        offset += step;
      }
    }
    for (; offset < bytes.byteLength; offset++) {
      crc = (table[(crc ^ (bytes[offset] as number)) & 255] as number) ^ (crc >>> 8);
    }
    return ~crc >>> 0;
  };
}

function moduleWith(table: Int32Array): CrcModule {
  const module = crcModule();
  new Int32Array(module.memory.buffer, 0, BYTES_OFFSET / 4).set(table);
  return module;
}

/** Entry 256 s + b: what byte b does to the checksum when s more bytes follow. */
function sliceTable(polynomial: number): Int32Array {
  const table = new Int32Array(BYTES_OFFSET / 4);
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
