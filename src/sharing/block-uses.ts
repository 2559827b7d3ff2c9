/**
 * How many files here use each block; a block is stored as long as one does. Kept by the catalog alone; calls the block
 * store. The counts are in memory and rebuilt from the manifests at start, so no crash can leave them wrong.
 */
import type { CID } from "multiformats/cid";
import { blockKey } from "./hash.ts";
import { DELETES_AT_ONCE } from "./limits.ts";
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

  /** One more use. Settles when the block can be stored and nothing deletes it any more, also where that failed. */
  async retain(cid: CID): Promise<void> {
    const key = blockKey(cid);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    await Promise.allSettled([this.#deletions.get(key)]);
  }

  /** One use less of each; blocks without any are deleted. */
  async release(cids: Iterable<CID>): Promise<void> {
    let unused: CID[] = [];
    for (const cid of cids) {
      if (this.#useLess(cid) > 0) continue;
      unused.push(cid);
      if (unused.length < DELETES_AT_ONCE) continue;
      await this.#delete(unused);
      unused = [];
    }
    await this.#delete(unused);
  }

  /** Deletes what is stored and has no use. */
  async sweep(): Promise<void> {
    await drain(this.#blocks.deleteMany(this.#unused()));
  }

  async *#unused(): AsyncGenerator<CID> {
    for await (const cid of this.#blocks.list()) if (!this.has(cid)) yield cid;
  }

  /** Uses that are left. */
  #useLess(cid: CID): number {
    const key = blockKey(cid);
    const count = (this.#counts.get(key) ?? 0) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }

  async #delete(cids: CID[]): Promise<void> {
    const keys = cids.map(blockKey);
    const deletion = drain(this.#blocks.deleteMany(cids)).finally(() => {
      for (const key of keys) this.#deletions.delete(key);
    });
    for (const key of keys) this.#deletions.set(key, deletion);
    await deletion;
  }
}

async function drain(deletions: AsyncIterable<CID> | Iterable<CID>): Promise<void> {
  for await (const _ of deletions);
}
