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
  type CrcModule,
  compileCrc,
  crcIn,
  type Distances,
  FOLDED_BYTES,
  TABLE_BYTES,
} from "./crc32-wasm.ts";

/** Below this, byte by byte is as fast. */
const SHORT_BYTES = 64;

/** More than the longest distance, in whole steps of `fold`. */
const WINDOW_BYTES = 6144;

/** From here on it is worth while to make the input short. */
const LONG_BYTES = 4 * WINDOW_BYTES;

/** Of a room, beside what is made short: tables, a window before it, one of zeros behind, and the last one. */
const FIXED_BYTES = TABLE_BYTES + 3 * WINDOW_BYTES;

/** Own memory: a room that stays in the processor's second cache, then bytes from elsewhere. */
const OWN_ROOM_BYTES = 128 * 1024;
const INPUT_BYTES = 256 * 1024;
const PAGE_BYTES = 65_536;

/** The checksum of the bytes; `before` is that of the bytes that precede them. */
export type Crc = (bytes: Uint8Array, before?: number) => number;

/** A part of a memory that is free to work in: at a multiple of 16, and at least 64 KiB. */
export interface Room {
  memory: WebAssembly.Memory;
  address: number;
  byteLength: number;
}

/** What a checksum divides by. */
class Divisor {
  readonly table: Int32Array;
  readonly distances: Distances;
  #own: WebAssembly.Module | undefined;
  #shared: WebAssembly.Module | undefined;

  constructor(polynomial: number, distances: Distances) {
    this.table = sliceTable(polynomial);
    this.distances = distances;
  }

  /** Compiled once each. */
  moduleIn(memory: WebAssembly.Memory): CrcModule {
    const isOwn = memory.buffer instanceof ArrayBuffer;
    if (isOwn) this.#own ??= compileCrc(this.distances, false);
    else this.#shared ??= compileCrc(this.distances, true);
    return crcIn(memory, (isOwn ? this.#own : this.#shared) as WebAssembly.Module);
  }

  /** The register after bytes that come one by one. */
  update(crc: number, bytes: Uint8Array): number {
    let register = crc;
    for (const byte of bytes) register = (this.table[(register ^ byte) & 255] as number) ^ (register >>> 8);
    return register;
  }
}

const castagnoli = new Divisor(0x82f63b78, [1747, 2830, 5321]);

export const crc32c = crcOf(castagnoli);
export const crc32 = crcOf(new Divisor(0xedb88320, [1927, 2181, 4018]));

/** `crc32c` of bytes that lie in a room's memory: no copy is made of them. The room must be left alone as long as it is used. */
export function crc32cIn(room: Room): Crc {
  const workshop = new Workshop(castagnoli, room);
  return (bytes, before = 0) => ~workshop.update(~before, bytes.byteOffset, bytes.byteLength) >>> 0;
}

function crcOf(divisor: Divisor): Crc {
  let own: Workshop | undefined;
  return (bytes, before = 0) => {
    if (bytes.byteLength < SHORT_BYTES) return ~divisor.update(~before, bytes) >>> 0;
    own ??= ownWorkshop(divisor);
    let crc = ~before;
    for (let offset = 0; offset < bytes.byteLength; offset += INPUT_BYTES) {
      const piece = bytes.subarray(offset, offset + INPUT_BYTES);
      own.bytes(OWN_ROOM_BYTES, piece.byteLength).set(piece);
      crc = own.update(crc, OWN_ROOM_BYTES, piece.byteLength);
    }
    return ~crc >>> 0;
  };
}

function ownWorkshop(divisor: Divisor): Workshop {
  const memory = new WebAssembly.Memory({ initial: (OWN_ROOM_BYTES + INPUT_BYTES) / PAGE_BYTES });
  return new Workshop(divisor, { memory, address: 0, byteLength: OWN_ROOM_BYTES });
}

/** Where checksums of bytes in a memory are computed: a room, laid out as tables, window, short form, zeros, last window. */
class Workshop {
  readonly #divisor: Divisor;
  readonly #memory: WebAssembly.Memory;
  readonly #module: CrcModule;
  readonly #tables: number;
  readonly #short: number;
  readonly #shortBytes: number;
  readonly #last: number;

  constructor(divisor: Divisor, { memory, address, byteLength }: Room) {
    this.#divisor = divisor;
    this.#memory = memory;
    this.#module = divisor.moduleIn(memory);
    this.#tables = address;
    this.#short = address + TABLE_BYTES + WINDOW_BYTES;
    this.#shortBytes = (byteLength - FIXED_BYTES) & -FOLDED_BYTES;
    this.#last = this.#short + this.#shortBytes + WINDOW_BYTES;
    new Int32Array(memory.buffer, address, divisor.table.length).set(divisor.table);
  }

  bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, length);
  }

  /** The register after the bytes at an address. */
  update(before: number, address: number, length: number): number {
    const end = address + length;
    let crc = before;
    let at = address;
    if (length >= LONG_BYTES) {
      const folded = (length - WINDOW_BYTES) & -FOLDED_BYTES;
      crc = this.#updateLong(crc, at, folded);
      at += folded + WINDOW_BYTES;
    }
    const whole = (end - at) & ~15;
    if (whole > 0) crc = this.#module.update(crc, at, at + whole, this.#tables);
    return this.#divisor.update(crc, this.bytes(at + whole, end - at - whole));
  }

  /** All but a window of the bytes go into that window, which takes nothing from itself: zeros stand in its place. */
  #updateLong(crc: number, source: number, folded: number): number {
    const [, , longest] = this.#divisor.distances;
    const window = this.#short - WINDOW_BYTES;
    this.#module.clear(window, WINDOW_BYTES);
    // From there it goes into the first word alone.
    new DataView(this.#memory.buffer).setInt32(this.#short - longest, crc, true);
    let end = this.#short;
    for (let done = 0; done < folded; done += this.#shortBytes) {
      if (done > 0) this.#module.move(window, end - WINDOW_BYTES, WINDOW_BYTES);
      end = this.#short + Math.min(this.#shortBytes, folded - done);
      this.#module.fold(source + done, this.#short - longest, this.#short, end);
    }
    this.#module.clear(end, WINDOW_BYTES);
    this.#module.fold(source + folded, end - longest, this.#last, this.#last + WINDOW_BYTES);
    return this.#module.update(0, this.#last, this.#last + WINDOW_BYTES, this.#tables);
  }
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
