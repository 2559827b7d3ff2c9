/**
 * One chunk on its way in from a peer: the buffer that it lands in and, where the store can, the hash of what has landed.
 * Hashed piece by piece the bytes are still in the processor's cache, which a whole chunk has left (measured: README.md).
 * Made by transfer-work, filled by the exchange.
 */
import type { BlockStore, RunningHash } from "../ports.ts";

export class LandingChunk {
  readonly #blocks: BlockStore;
  #buffer: Uint8Array | undefined;
  #hash: RunningHash | undefined;

  constructor(blocks: BlockStore) {
    this.#blocks = blocks;
  }

  /** The answer begins, maybe again: where it goes. */
  begin(): Uint8Array {
    this.#hash = this.#blocks.startHash?.();
    this.#buffer ??= this.#blocks.buffers.take();
    return this.#buffer;
  }

  /** The next bytes have landed. */
  add(bytes: Uint8Array): void {
    this.#hash?.update(bytes);
  }

  /** All has landed: its SHA-256, where it was made. */
  digest(): Uint8Array | undefined {
    return this.#hash?.digest();
  }

  /** Nobody uses the bytes any more. */
  release(): void {
    if (this.#buffer) this.#blocks.buffers.give(this.#buffer);
  }
}
