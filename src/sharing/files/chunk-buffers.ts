/**
 * Buffers of one chunk each, used again and again by imports, downloads and uploads: a fresh megabyte a chunk makes
 * the garbage collector the largest cost of a transfer (measured). One for each block store, which knows what kind
 * of memory suits its medium.
 */
import { CHUNK_BYTES, MAX_SPARE_BUFFERS } from "../limits.ts";

export class ChunkBuffers {
  readonly #spare: Uint8Array[] = [];
  readonly #allocate: () => Uint8Array;
  #heldBytes = 0;
  #takenCount = 0;

  /** `allocate` gives a new buffer of CHUNK_BYTES. */
  constructor(allocate: () => Uint8Array = () => new Uint8Array(CHUNK_BYTES)) {
    this.#allocate = allocate;
  }

  /** Bytes of all buffers, spare or in use. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Buffers taken so far: it grows while chunks are imported, fetched or served. */
  get takenCount(): number {
    return this.#takenCount;
  }

  /** A buffer of CHUNK_BYTES whose contents are left over from before. */
  take(): Uint8Array {
    this.#takenCount += 1;
    const spare = this.#spare.pop();
    if (spare !== undefined) return spare;
    this.#heldBytes += CHUNK_BYTES;
    return this.#allocate();
  }

  /** Gives a buffer back; nobody may use it any more. */
  give(buffer: Uint8Array): void {
    if (this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(buffer);
    else this.#heldBytes -= CHUNK_BYTES;
  }
}
