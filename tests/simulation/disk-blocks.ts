/**
 * A machine's blocks, as one process has them: as the ports say of a medium that damages blocks and loses what was not
 * flushed.
 */
import { NotFoundError } from "interface-store";
import type { CID } from "multiformats/cid";
import { deleteMany, getAll, getMany, put, putMany } from "../../src/sharing/block-store-calls.ts";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { isSharingError } from "../../src/sharing/errors.ts";
import { verifyBlock } from "../../src/sharing/hash.ts";
import { KeyedQueue } from "../../src/sharing/keyed-queue.ts";
import { BELIEVED_MS } from "../../src/sharing/limits.ts";
import type { BlockStore, Clock } from "../../src/sharing/ports.ts";
import { CountedBuffers } from "./counted-buffers.ts";
import type { Life } from "./life.ts";
import { DiskError, type Machine } from "./machine.ts";

type Aborting = { signal?: AbortSignal };

export class DiskBlocks implements BlockStore {
  readonly buffers = new CountedBuffers();
  readonly put = put;
  readonly putMany = putMany;
  readonly getMany = getMany;
  readonly getAll = getAll;
  readonly deleteMany = deleteMany;
  readonly #machine: Machine;
  readonly #life: Life;
  readonly #clock: Clock;
  /** A put and a delete of one block never cross. */
  readonly #queue = new KeyedQueue(Number.POSITIVE_INFINITY);
  /** When each block was hashed last. */
  readonly #soundAtMs = new Map<string, number>();

  constructor(machine: Machine, life: Life, clock: Clock) {
    this.#machine = machine;
    this.#life = life;
    this.#clock = clock;
  }

  get maxBytes(): number {
    return this.#machine.blocks.maxBytes;
  }

  set maxBytes(maxBytes: number) {
    this.#machine.blocks.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#machine.blocks.usedBytes;
  }

  availableBytes(): Promise<number> {
    return this.#machine.blocks.availableBytes();
  }

  async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    await verifyBlock(cid, bytes);
    await this.write(cid, bytes);
  }

  async write(cid: CID, bytes: Uint8Array): Promise<void> {
    await this.#queue.run(cid.toString(), async () => {
      await this.#work("write");
      if (this.#machine.isSound(cid)) return;
      await this.#machine.forget(cid);
      await this.#machine.blocks.write(cid, bytes);
      this.#soundAtMs.set(cid.toString(), this.#clock.monotonic());
    });
  }

  async flush(): Promise<void> {
    const makeDurable = this.#machine.blocks.beginFlush();
    await this.#work("flush");
    makeDurable();
  }

  has(cid: CID, options?: Aborting): boolean {
    return this.#machine.blocks.has(cid, options);
  }

  async *get(cid: CID, options?: Aborting): AsyncGenerator<Uint8Array> {
    await this.#work("read");
    yield* this.#machine.blocks.get(cid, options);
  }

  async read(cid: CID, into: Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array> {
    const stored = await collectBytes(this.get(cid, { signal })).catch((error) => this.#unread(cid, error));
    if (!this.#isBelieved(cid)) await this.#hash(cid, stored);
    if (into === undefined || into.length < stored.length) return stored.slice();
    into.set(stored);
    return into.subarray(0, stored.length);
  }

  doubt(cid: CID): void {
    this.#soundAtMs.delete(cid.toString());
  }

  async delete(cid: CID): Promise<void> {
    await this.#queue.run(cid.toString(), async () => {
      await this.#work("delete");
      await this.#machine.delete(cid);
    });
  }

  async *list(): AsyncGenerator<CID> {
    yield* this.#machine.blocks.list();
  }

  async close(): Promise<void> {}

  #isBelieved(cid: CID): boolean {
    const soundAtMs = this.#soundAtMs.get(cid.toString());
    return soundAtMs !== undefined && this.#clock.monotonic() - soundAtMs < BELIEVED_MS;
  }

  /** What can't be read is lost. */
  async #unread(cid: CID, error: unknown): Promise<never> {
    if (!(error instanceof DiskError)) throw error;
    await this.#machine.lose(cid);
    throw new NotFoundError(`block ${cid} can't be read`);
  }

  async #hash(cid: CID, bytes: Uint8Array): Promise<void> {
    try {
      await verifyBlock(cid, bytes);
      this.#soundAtMs.set(cid.toString(), this.#clock.monotonic());
    } catch (error) {
      if (!isSharingError(error, "hash_mismatch")) throw error;
      await this.delete(cid);
      throw new NotFoundError(`block ${cid} came to harm`);
    }
  }

  async #work(work: "write" | "flush" | "read" | "delete"): Promise<void> {
    await this.#machine.work(work, this.#life);
  }
}
