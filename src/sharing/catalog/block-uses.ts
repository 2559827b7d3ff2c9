/**
 * How many files here use each block; a block is stored as long as one does. Kept by the catalog alone; calls the block
 * store. The counts are in memory and rebuilt from the manifests at start, so no crash can leave them wrong. A block whose
 * deletion fails is of no file any more, takes up its room a while longer, and harms nobody: that ends nothing.
 */
import type { CID } from "multiformats/cid";
import { isSharingError } from "../errors.ts";
import { blockKey } from "../hash.ts";
import { DELETES_AT_ONCE } from "../limits.ts";
import type { BlockStore, Log } from "../ports.ts";

export class BlockUses {
  readonly #blocks: BlockStore;
  readonly #log: Log;
  readonly #counts = new Map<string, number>();
  /** Deletions under way; whoever wants the block again waits for its deletion to end. */
  readonly #deletions = new Map<string, Promise<void>>();
  /** Blocks without a use whose deletion failed: it is tried again with the next. */
  readonly #left = new Map<string, CID>();

  constructor(blocks: BlockStore, log: Log) {
    this.#blocks = blocks;
    this.#log = log;
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

  /** One use less of each; blocks without any are deleted, and those that were left before. */
  async release(cids: Iterable<CID>): Promise<void> {
    const unused: CID[] = [];
    // None is wanted again between its last use and the beginning of its deletion.
    for (const cid of this.#unusedOf(cids)) {
      unused.push(cid);
      if (unused.length === DELETES_AT_ONCE) await this.#delete(unused.splice(0));
    }
    await this.#delete(unused);
  }

  /** Deletes what is stored and has no use. */
  async sweep(): Promise<void> {
    const unused: CID[] = [];
    for await (const cid of this.#blocks.list()) {
      if (this.has(cid)) continue;
      unused.push(cid);
      if (unused.length === DELETES_AT_ONCE) await this.#delete(unused.splice(0));
    }
    await this.#delete(unused);
  }

  *#unusedOf(cids: Iterable<CID>): Iterable<CID> {
    const left = [...this.#left.values()];
    this.#left.clear();
    for (const cid of left) if (!this.has(cid)) yield cid;
    for (const cid of cids) if (this.#useLess(cid) === 0) yield cid;
  }

  /** Uses that are left. */
  #useLess(cid: CID): number {
    const key = blockKey(cid);
    const count = Math.max(0, (this.#counts.get(key) ?? 0) - 1);
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    return count;
  }

  async #delete(cids: CID[]): Promise<void> {
    const keys = cids.map(blockKey);
    const deletion = this.#tryDelete(cids).finally(() => {
      // One that failed may be tried again by now.
      for (const key of keys) if (this.#deletions.get(key) === deletion) this.#deletions.delete(key);
    });
    for (const key of keys) this.#deletions.set(key, deletion);
    await deletion;
  }

  /** Together, and where that fails one by one: a bad one holds up no others. */
  async #tryDelete(cids: CID[]): Promise<void> {
    try {
      for await (const _ of this.#blocks.deleteMany(cids));
    } catch {
      await this.#deleteEach(cids);
    }
  }

  async #deleteEach(cids: CID[]): Promise<void> {
    const errors: unknown[] = [];
    for (const cid of cids) {
      try {
        await this.#blocks.delete(cid);
      } catch (error) {
        this.#left.set(blockKey(cid), cid);
        errors.push(error);
      }
    }
    // What a share leaves that ends with the node goes at the next start.
    if (errors.length === 0 || isSharingError(errors[0], "stopped")) return;
    this.#log.warn("blocks that no file uses are left", { blockCount: errors.length, error: errors[0] });
  }
}
