/**
 * How many files here use each block; a block is stored as long as one does. Kept by the catalog alone; calls the block
 * store. The counts are in memory and rebuilt from the manifests at start, so no crash can leave them wrong.
 */
import type { CID } from "multiformats/cid";
import type { BlockStore } from "./ports.ts";

export class BlockUses {
  readonly #blocks: BlockStore;
  readonly #counts = new Map<string, number>();
  /** Deletions under way; whoever wants the block again waits for its deletion to end. */
  readonly #deletions = new Map<string, Promise<void>>();

  constructor(blocks: BlockStore) {
    this.#blocks = blocks;
  }

  has(cid: CID): boolean {
    return this.#counts.has(blockKey(cid));
  }

  /** One more use. Settles when the block can be stored and nothing deletes it any more. */
  async retain(cid: CID): Promise<void> {
    const key = blockKey(cid);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    await this.#deletions.get(key);
  }

  /** One use less of each; blocks without any are deleted. */
  async release(cids: Iterable<CID>): Promise<void> {
    for (const cid of cids) {
      const key = blockKey(cid);
      const count = (this.#counts.get(key) ?? 0) - 1;
      if (count > 0) this.#counts.set(key, count);
      else {
        this.#counts.delete(key);
        await this.#delete(key, cid);
      }
    }
  }

  /** Deletes what is stored and has no use. */
  async sweep(): Promise<void> {
    for await (const cid of this.#blocks.list()) {
      if (!this.has(cid)) await this.#blocks.delete(cid);
    }
  }

  async #delete(key: string, cid: CID): Promise<void> {
    const deletion = Promise.resolve(this.#blocks.delete(cid)).finally(() => this.#deletions.delete(key));
    this.#deletions.set(key, deletion);
    await deletion;
  }
}

/** A short map key: codec and the digest's 32 bytes as characters. */
function blockKey(cid: CID): string {
  return String.fromCharCode(cid.code, ...cid.multihash.digest);
}
