/**
 * Chunk buffers that begin at a page, as direct I/O needs. Handed to the block store's ChunkBuffers; asked by
 * DirectFile. JavaScript can't choose an address, but WebAssembly's memory always begins at a page, so buffers are
 * cut from that.
 */
import { CHUNK_BYTES } from "../../sharing/limits.ts";
import { BUFFERS_A_SLAB } from "../limits.ts";

/** The unit of direct I/O: the largest sector and the page of nearly all machines. */
export const IO_PAGE_BYTES = 4096;

/** Bytes of the pages that so many take. */
export function wholePagesOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / IO_PAGE_BYTES) * IO_PAGE_BYTES;
}

const WASM_PAGE_BYTES = 65_536;

/** The types of Node.js 20 leave it out. */
declare const WebAssembly: { Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };

const slabs = new WeakSet<ArrayBufferLike>();
let slab = new ArrayBuffer(0);
let usedBuffers = BUFFERS_A_SLAB;

/** A buffer of CHUNK_BYTES that begins at a page. */
export function newPageBuffer(): Uint8Array {
  if (usedBuffers === BUFFERS_A_SLAB) {
    slab = new WebAssembly.Memory({ initial: (BUFFERS_A_SLAB * CHUNK_BYTES) / WASM_PAGE_BYTES }).buffer;
    slabs.add(slab);
    usedBuffers = 0;
  }
  return new Uint8Array(slab, usedBuffers++ * CHUNK_BYTES, CHUNK_BYTES);
}

/** Are these whole pages of a buffer from here? */
export function areWholePages(bytes: Uint8Array): boolean {
  return (
    bytes.byteOffset % IO_PAGE_BYTES === 0 &&
    bytes.byteLength % IO_PAGE_BYTES === 0 &&
    bytes.byteLength > 0 &&
    slabs.has(bytes.buffer)
  );
}
