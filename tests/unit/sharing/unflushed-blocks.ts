/**
 * Blocks on a disk of which a loss of power takes what was not flushed, and brings back what was deleted. Used by the kill points
 * and by the simulation's machine.
 */
import type { CID } from "multiformats/cid";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { verifyBlock } from "../../../src/sharing/hash.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";

export class UnflushedBlocks extends MemoryBlockStore {
  /** What a loss of power takes, by name, and what it brings back. */
  readonly #added = new Map<string, CID>();
  readonly #deleted = new Map<string, { cid: CID; bytes: Uint8Array }>();

  /** A loss of power would take something. */
  get hasUnflushed(): boolean {
    return this.#added.size > 0;
  }

  override async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    await verifyBlock(cid, bytes);
    await this.write(cid, bytes);
  }

  override async write(cid: CID, bytes: Uint8Array): Promise<void> {
    if (this.has(cid)) return;
    await super.write(cid, bytes);
    this.#added.set(cid.toString(), cid);
    this.#deleted.delete(cid.toString());
  }

  override async delete(cid: CID): Promise<void> {
    const name = cid.toString();
    if (this.has(cid) && !this.#added.has(name))
      this.#deleted.set(name, { cid, bytes: await collectBytes(this.get(cid)) });
    await this.lose(cid);
  }

  override async flush(): Promise<void> {
    this.beginFlush()();
  }

  /** Gives what makes all durable that is so by now. */
  beginFlush(): () => void {
    const names = [...this.#added.keys(), ...this.#deleted.keys()];
    return () => {
      for (const name of names) {
        this.#added.delete(name);
        this.#deleted.delete(name);
      }
    };
  }

  /** The disk has lost a block. */
  async lose(cid: CID): Promise<void> {
    this.#added.delete(cid.toString());
    await super.delete(cid);
  }

  /** The disk has other bytes in the block's place. */
  async harm(cid: CID, bytes: Uint8Array): Promise<void> {
    await super.write(cid, bytes);
  }

  /** All of it at once, and whatever room there is. */
  losePower(): void {
    for (const cid of this.#added.values()) void super.delete(cid);
    const { maxBytes } = this;
    this.maxBytes = Number.MAX_SAFE_INTEGER;
    for (const { cid, bytes } of this.#deleted.values()) void super.write(cid, bytes);
    this.maxBytes = maxBytes;
    this.#added.clear();
    this.#deleted.clear();
  }
}
