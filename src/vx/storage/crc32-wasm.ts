/**
 * The inner loops of the checksums as a WebAssembly module, put together here byte by byte (WebAssembly Core
 * Specification 2.0, chapter 5), for JavaScript does them at a tenth of the speed. Called by crc32.
 *
 * The module works in a memory that it is given, at addresses that the host names. It exports `update(crc, start, end, tables)`,
 * which takes 16 bytes a step by 16 tables of 256 words, as below for the first of four words:
 *
 *   crc = tables[15][a & 255] ^ tables[14][a >>> 8 & 255] ^ ...    with a = crc ^ word at start
 *
 * and `fold(source, from, at, end)`, which takes 64 bytes a step without a table, as below for each 16 of them. `from` is as
 * far behind `at` as the longest of three distances: see crc32.
 *
 *   bytes at `at` = bytes at `source` ^ bytes at `from` ^ bytes 1 of the shorter distances before `at` ^ bytes the other before
 */

export const TABLE_BYTES = 16 * 256 * 4;

const I32 = 0x7f;
const op = { loop: 3, end: 0x0b, brIf: 0x0d, get: 0x20, set: 0x21, load: 0x28, const: 0x41 };
const i32 = { ltU: 0x49, add: 0x6a, and: 0x71, xor: 0x73, shl: 0x74, shrU: 0x76 };
const v128 = { load: [0xfd, 0x00], store: [0xfd, 0x0b], xor: [0xfd, 0x51] };
const memory = { copy: [0xfc, 10, 0, 0], fill: [0xfc, 11, 0] };
const VOID = 0x40;

/** Pages that wasm32 can address. */
const MAX_PAGES = 65_536;

/** Bytes that `fold` takes a step: four vectors. */
export const FOLDED_BYTES = 64;

/** Three distances in bytes, shortest first. */
export type Distances = readonly [number, number, number];

export interface CrcModule {
  /** The register after the bytes from `start` to `end`, a positive multiple of 16 apart. */
  update(crc: number, start: number, end: number, tables: number): number;
  /**
   * Puts at `at` to `end`, a positive multiple of 64 apart, the source's bytes joined to those that lie at the
   * distances before.
   */
  fold(source: number, from: number, at: number, end: number): void;
  /** As an array's copyWithin and fill, which are slow in shared memory. */
  move(to: number, from: number, bytes: number): void;
  clear(at: number, bytes: number): void;
}

/** `shared`: for memory that threads share. */
export function compileCrc(distances: Distances, shared: boolean): WebAssembly.Module {
  return new WebAssembly.Module(moduleBytes(distances, shared));
}

export function crcIn(place: WebAssembly.Memory, module: WebAssembly.Module): CrcModule {
  return new WebAssembly.Instance(module, { "": { "": place } }).exports as unknown as CrcModule;
}

function moduleBytes(distances: Distances, shared: boolean): Uint8Array<ArrayBuffer> {
  const [update, fold] = [updateBody(), foldBody(distances)];
  const move = [0, op.get, 0, op.get, 1, op.get, 2, ...memory.copy, op.end];
  const clear = [0, op.get, 0, op.const, 0, op.get, 1, ...memory.fill, op.end];
  const bodies = [update, fold, move, clear];
  // Shared memory must say how far it may grow.
  const limits = shared ? [3, 1, ...leb(MAX_PAGES)] : [0, 1];
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [4, ...type(4, 1), ...type(4, 0), ...type(3, 0), ...type(2, 0)]),
    ...section(2, [1, ...name(""), ...name(""), 2, ...limits]),
    ...section(3, [4, 0, 1, 2, 3]),
    ...section(7, [4, ...["update", "fold", "move", "clear"].flatMap((key, i) => [...name(key), 0, i])]),
    ...section(10, [4, ...bodies.flatMap((body) => [...leb(body.length), ...body])]),
  ]);
}

/** Of functions on words. */
function type(parameters: number, results: number): number[] {
  const words = (count: number) => [count, ...Array.from({ length: count }, () => I32)];
  return [0x60, ...words(parameters), ...words(results)];
}

function updateBody(): number[] {
  /** Parameters, then the four words of a step. */
  const [crc, start, end, tables, word] = [0, 1, 2, 3, 4];
  const code = [op.loop, VOID];
  for (let i = 0; i < 4; i++) {
    code.push(op.get, start, ...load(i * 4));
    if (i === 0) code.push(op.get, crc, i32.xor);
    code.push(op.set, word + i);
  }
  /** The first word last: it alone waits for the step before. */
  for (let i = 3; i >= 0; i--) {
    for (let byte = 0; byte < 4; byte++) {
      code.push(...lookUp(word + i, byte, tables, 15 - (i * 4 + byte)));
      if (i < 3 || byte > 0) code.push(i32.xor);
    }
  }
  code.push(op.set, crc);
  code.push(...advance(start, 16), op.get, start, op.get, end, i32.ltU, op.brIf, 0, op.end);
  code.push(op.get, crc, op.end);
  return [1, 4, I32, ...code];
}

function foldBody([shortest, middle, longest]: Distances): number[] {
  const [source, from, at, end] = [0, 1, 2, 3];
  const code = [op.loop, VOID];
  for (let offset = 0; offset < FOLDED_BYTES; offset += 16) {
    code.push(op.get, at, op.get, source, ...loadVector(offset));
    for (const distance of [longest, middle, shortest]) {
      code.push(op.get, from, ...loadVector(offset + longest - distance), ...v128.xor);
    }
    code.push(...v128.store, 0, ...leb(offset));
  }
  for (const moving of [source, from, at]) code.push(...advance(moving, FOLDED_BYTES));
  code.push(op.get, at, op.get, end, i32.ltU, op.brIf, 0, op.end, op.end);
  return [0, ...code];
}

function advance(local: number, bytes: number): number[] {
  return [op.get, local, op.const, ...signedLeb(bytes), i32.add, op.set, local];
}

/** The entry of a table for a byte of a word. */
function lookUp(local: number, byte: number, tables: number, table: number): number[] {
  const shift = byte === 0 ? [op.const, 2, i32.shl] : [op.const, byte * 8 - 2, i32.shrU];
  const index = [op.get, local, ...shift, op.const, ...signedLeb(255 * 4), i32.and];
  return [...index, op.get, tables, i32.add, ...load(table * 1024)];
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
