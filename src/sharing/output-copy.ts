/**
 * The copy of a download outside the chunk store: new chunks are written as they come, those that were here
 * before are read back and verified at the end. Called by the transfer; writes through the Files port.
 */
import { bitfieldBytes, hasBit, setBit } from "./bitfield.ts";
import { isMissing } from "./catalog.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { collectBytes } from "./collect-bytes.ts";
import { isSharingError } from "./errors.ts";
import { verifyBlock } from "./hash.ts";
import { CHUNK_BYTES } from "./limits.ts";
import type { BlockStore, FileOutput } from "./ports.ts";

export class OutputCopy {
  readonly #output: FileOutput;
  readonly #entry: CatalogEntry;
  readonly #blocks: BlockStore;
  readonly #written: Uint8Array;

  constructor(output: FileOutput, entry: CatalogEntry, blocks: BlockStore) {
    this.#output = output;
    this.#entry = entry;
    this.#blocks = blocks;
    this.#written = new Uint8Array(bitfieldBytes(entry.manifest.chunkCount));
  }

  async write(index: number, bytes: Uint8Array): Promise<void> {
    await this.#output.write(index * CHUNK_BYTES, bytes);
    setBit(this.#written, index);
  }

  /** Writes every chunk that is held and not yet written; gives those that are damaged or gone. */
  async copyRest(signal: AbortSignal): Promise<number[]> {
    const damaged: number[] = [];
    for (let index = 0; index < this.#entry.manifest.chunkCount; index++) {
      if (hasBit(this.#written, index)) continue;
      signal.throwIfAborted();
      const cid = this.#entry.manifest.chunkCid(index);
      try {
        const bytes = await collectBytes(this.#blocks.get(cid));
        await verifyBlock(cid, bytes);
        await this.write(index, bytes);
      } catch (error) {
        if (!isMissing(error) && !isSharingError(error, "hash_mismatch")) throw error;
        await this.#blocks.delete(cid);
        damaged.push(index);
      }
    }
    return damaged;
  }

  async commit(): Promise<void> {
    await this.#output.commit(this.#entry.manifest.sizeBytes);
  }
}
