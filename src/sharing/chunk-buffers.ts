/**
 * Buffers of one chunk each, used again and again by one import or download: a fresh megabyte a chunk makes the
 * garbage collector the largest cost of a transfer (measured).
 */
import { CHUNK_BYTES } from "./limits.ts";

export class ChunkBuffers {
  readonly #spare: Uint8Array[] = [];

  /** A buffer of CHUNK_BYTES whose contents are left over from before. */
  take(): Uint8Array {
    return this.#spare.pop() ?? new Uint8Array(CHUNK_BYTES);
  }

  /** Gives a buffer back; nobody may use it any more. There are never more than were in use at once. */
  give(buffer: Uint8Array): void {
    this.#spare.push(buffer);
  }
}
