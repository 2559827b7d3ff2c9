/**
 * The inner loops of the checksums as a WebAssembly module, put together here byte by byte (WebAssembly Core
 * Specification 2.0, chapter 5), for JavaScript does them at a tenth of the speed. Called by crc32.
 *
 * The module has a memory, filled by the host: 16 tables of 256 words, a window of zeros, the bytes, a second window. It
 * exports `update(crc, start, end)`, which takes 16 bytes a step, as below for the first of four words:
 *
 *   crc = tables[15][a & 255] ^ tables[14][a >>> 8 & 255] ^ ...    with a = crc ^ word at start
 *
 * and `fold(from, at, end)`, which takes 64 bytes a step without a table, as below for each 16 of them. `from` is as far
 * behind `at` as the longest of three distances: see crc32.
 *
 *   bytes at `at` ^= bytes at `from` ^ bytes 1 of the shorter distances before `at` ^ bytes the other before `at`
 */

const TABLE_BYTES = 16 * 256 * 4;

/** More than the longest distance, in whole steps of `fold`. */
export const WINDOW_BYTES = 6144;

/** Where the host puts bytes, behind a window of zeros, and how many have room: they stay in the processor's second cache. */
export const BYTES_OFFSET = TABLE_BYTES + WINDOW_BYTES;
export const ROOM_BYTES = 4 * 65536 - BYTES_OFFSET - WINDOW_BYTES;
export const LAST_OFFSET = BYTES_OFFSET + ROOM_BYTES;

const I32 = 0x7f;
const op = { loop: 3, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, load: 0x28, const: 0x41 };
const i32 = { ltU: 0x49, add: 0x6a, and: 0x71, xor: 0x73, shl: 0x74, shrU: 0x76 };
const v128 = { load: [0xfd, 0x00], store: [0xfd, 0x0b], xor: [0xfd, 0x51] };
const VOID = 0x40;

/** Bytes that `fold` takes a step: four vectors. */
export const FOLDED_BYTES = 64;

/** Three distances in bytes, shortest first. */
export type Distances = readonly [number, number, number];

export interface CrcModule {
  memory: WebAssembly.Memory;
  /** The register after the bytes from `start` to `end`, offsets in memory, a positive multiple of 16 apart. */
  update(crc: number, start: number, end: number): number;
  /** Joins to the bytes from `at` to `end`, a positive multiple of 64 apart, those that lie at the distances before. */
  fold(from: number, at: number, end: number): void;
}

export function crcModule(distances: Distances): CrcModule {
  const module = new WebAssembly.Module(moduleBytes(distances));
  return new WebAssembly.Instance(module).exports as unknown as CrcModule;
}

function moduleBytes(distances: Distances): Uint8Array<ArrayBuffer> {
  const [update, fold] = [updateBody(), foldBody(distances)];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, ...[0x60, 3, I32, I32, I32, 1, I32], ...[0x60, 3, I32, I32, I32, 0]]),
    ...section(3, [2, 0, 1]),
    ...section(5, [1, 0, (LAST_OFFSET + WINDOW_BYTES) / 65536]),
    ...section(7, [3, ...name("update"), 0, 0, ...name("fold"), 0, 1, ...name("memory"), 2, 0]),
    ...section(10, [2, ...leb(update.length), ...update, ...leb(fold.length), ...fold]),
  ]);
}

function updateBody(): number[] {
  /** Parameters, then the four words of a step. */
  const [crc, start, end, word] = [0, 1, 2, 3];
  const code = [op.loop, VOID];
  for (let i = 0; i < 4; i++) {
    code.push(op.get, start, ...load(i * 4));
    if (i === 0) code.push(op.get, crc, i32.xor);
    code.push(op.set, word + i);
  }
  /** The first word last: it alone waits for the step before. */
  for (let i = 3; i >= 0; i--) {
    for (let byte = 0; byte < 4; byte++) {
      code.push(...lookUp(word + i, byte, 15 - (i * 4 + byte)));
      if (i < 3 || byte > 0) code.push(i32.xor);
    }
  }
  code.push(op.set, crc);
  code.push(...advance(start, 16), op.get, start, op.get, end, i32.ltU, op.brIf, 0, op.end);
  code.push(op.get, crc, op.end);
  return [1, 4, I32, ...code];
}

function foldBody([shortest, middle, longest]: Distances): number[] {
  const [from, at, end] = [0, 1, 2];
  const code = [op.loop, VOID];
  for (let offset = 0; offset < FOLDED_BYTES; offset += 16) {
    code.push(op.get, at, op.get, at, ...loadVector(offset));
    for (const distance of [longest, middle, shortest]) {
      code.push(op.get, from, ...loadVector(offset + longest - distance), ...v128.xor);
    }
    code.push(...v128.store, 0, ...leb(offset));
  }
  code.push(...advance(from, FOLDED_BYTES), ...advance(at, FOLDED_BYTES));
  code.push(op.get, at, op.get, end, i32.ltU, op.brIf, 0, op.end, op.end);
  return [0, ...code];
}

function advance(local: number, bytes: number): number[] {
  return [op.get, local, op.const, ...signedLeb(bytes), i32.add, op.set, local];
}

/** The entry of a table for a byte of a word. */
function lookUp(local: number, byte: number, table: number): number[] {
  const shift = byte === 0 ? [op.const, 2, i32.shl] : [op.const, byte * 8 - 2, i32.shrU];
  return [op.get, local, ...shift, op.const, ...signedLeb(255 * 4), i32.and, ...load(table * 1024)];
}

function load(offset: number): number[] {
  return [op.load, 2, ...leb(offset)];
}

function loadVector(offset: number): number[] {
  return [...v128.load, 0, ...leb(offset)];
}

function section(id: number, content: number[]): number[] {
  return [id, ...leb(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...new TextEncoder().encode(text)];
}

function leb(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...leb(value >>> 7)];
}

/** A positive number, whose highest bit must not look like a sign. */
function signedLeb(value: number): number[] {
  return value < 64 ? [value] : [(value & 127) | 128, ...signedLeb(value >>> 7)];
}
