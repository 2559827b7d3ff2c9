/**
 * Blocks of a page: kept in IndexedDB by the storage worker, which also checks their hashes. Opened by open-media;
 * calls blocks-work over Comlink. What is held, and how much, is known here from one listing at open; the bytes go to
 * the worker and come back without a copy but the one that leaves the caller its buffer.
 */
import type { Remote } from "comlink";
import { transfer } from "comlink";
import { NotFoundError } from "interface-store";
import type { CID } from "multiformats/cid";
import { isBelieved } from "../../sharing/believed.ts";
import { BlockQuota } from "../../sharing/block-quota.ts";
import { getAll, getMany, put, putMany } from "../../sharing/block-store-calls.ts";
import type { Loss, LostBlock } from "../../sharing/catalog/loss-log.ts";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { ChunkBuffers } from "../../sharing/files/chunk-buffers.ts";
import { verifyBlock } from "../../sharing/hash.ts";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import { CHUNK_BYTES } from "../../sharing/limits.ts";
import type { BlockStore } from "../../sharing/ports.ts";
import { nextTurn } from "../../vx/turns.ts";
import {
  BLOCKS_AT_WORKER,
  CIDS_A_TASK,
  DELETES_AT_ONCE,
  MAX_SPARE_COPIES,
  SHORT_BLOCK_BYTES,
  SIZES_PER_PAGE,
} from "../limits.ts";
import { storageFreeBytes } from "../storage/storage-persistence.ts";
import { blockKey, cidOfKey } from "./blocks-keys.ts";
import type { BlocksWork, PutManner } from "./blocks-work.ts";

type Aborting = { signal?: AbortSignal };

export interface IdbBlockStoreOptions {
  /** Of the storage worker. */
  work: Remote<BlocksWork>;
  databaseName?: string;
  /** Most bytes of blocks to hold; no limit by default. */
  maxBytes?: number;
  /** A block that was stored is so no longer, though nobody deleted it. For the log. */
  onLost?: (block: LostBlock) => void;
}

export async function openIdbBlockStore(options: IdbBlockStoreOptions): Promise<IdbBlockStore> {
  const { work, databaseName = "shoal-blocks" } = options;
  await work.open(databaseName);
  const sizes = new Map<string, number>();
  for (let last: string | undefined; ; ) {
    const page = await work.sizes(last, SIZES_PER_PAGE);
    for (const [key, sizeBytes] of page) sizes.set(key, sizeBytes);
    if (page.length < SIZES_PER_PAGE) break;
    last = page.at(-1)?.[0];
  }
  return new IdbBlockStore(options, sizes);
}

export class IdbBlockStore implements BlockStore {
  readonly buffers = new ChunkBuffers();
  readonly put = put;
  readonly putMany = putMany;
  readonly getMany = getMany;
  readonly getAll = getAll;
  readonly #work: Remote<BlocksWork>;
  /** Bytes of each block held, by key. */
  readonly #sizes: Map<string, number>;
  /** When the bytes of a block were last known to be right, by key. */
  readonly #soundAtMs = new Map<string, number>();
  /** Puts and deletes of one block, one after another, and as many at the worker as its memory may hold. */
  readonly #queue = new KeyedQueue(BLOCKS_AT_WORKER);
  /**
   * Of CHUNK_BYTES or more each, for bytes on their way to the worker: fresh ones would be garbage faster than it is
   * collected.
   */
  readonly #spareCopies: ArrayBuffer[] = [];
  readonly #onLost: ((block: LostBlock) => void) | undefined;
  readonly #quota: BlockQuota;
  #closed = false;

  constructor(
    { work, maxBytes = Number.POSITIVE_INFINITY, onLost }: IdbBlockStoreOptions,
    sizes: Map<string, number>,
  ) {
    this.#work = work;
    this.#sizes = sizes;
    this.#onLost = onLost;
    let usedBytes = 0;
    for (const sizeBytes of sizes.values()) usedBytes += sizeBytes;
    this.#quota = new BlockQuota("“Most room to take” in Settings", maxBytes, usedBytes);
  }

  get usedBytes(): number {
    return this.#quota.usedBytes;
  }

  /** May be changed at any time. */
  get maxBytes(): number {
    return this.#quota.maxBytes;
  }

  set maxBytes(bytes: number) {
    this.#quota.maxBytes = bytes;
  }

  async availableBytes(): Promise<number> {
    return Math.max(0, Math.min(this.#quota.restBytes, await storageFreeBytes()));
  }

  async putVerified(cid: CID, bytes: Uint8Array, { moreToCome = false } = {}): Promise<void> {
    this.#check();
    const key = blockKey(cid);
    await this.#queue.run(key, async () => {
      if (await this.#isKept(key)) await verifyBlock(cid, bytes);
      else await this.#send(key, bytes, { verified: true, moreToCome });
    });
  }

  async write(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#check();
    const key = blockKey(cid);
    await this.#queue.run(key, async () => {
      if (!(await this.#isKept(key))) await this.#send(key, bytes, { verified: false, moreToCome: false });
    });
  }

  /** A write that settled is durable already. */
  async flush(): Promise<void> {
    this.#check();
  }

  has(cid: CID, options?: Aborting): boolean {
    this.#check(options);
    return this.#sizes.has(blockKey(cid));
  }

  async *get(cid: CID, options?: Aborting): AsyncGenerator<Uint8Array> {
    this.#check(options);
    const bytes = await this.#read(cid, false);
    options?.signal?.throwIfAborted();
    yield bytes;
  }

  /** The bytes come from the worker in a buffer of their own, which costs less than a copy into the caller's. */
  async read(cid: CID, _into: Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array> {
    this.#check({ signal });
    return await this.#read(cid, true);
  }

  doubt(cid: CID): void {
    this.#soundAtMs.delete(blockKey(cid));
  }

  /**
   * The bytes where they lie, for the browser to send without the page reading them, which are looked at as those of `read`;
   * undefined where they are lost.
   */
  async blob(cid: CID): Promise<Blob | undefined> {
    this.#check();
    const key = blockKey(cid);
    const sizeBytes = this.#sizes.get(key);
    if (sizeBytes === undefined) return undefined;
    const doubted = this.#isDoubted(key);
    const blob = await this.#work.blob(key, doubted);
    if (blob?.size !== sizeBytes) return undefined;
    if (doubted) this.#believe(key);
    return blob;
  }

  async delete(cid: CID, options?: Aborting): Promise<void> {
    this.#check(options);
    const key = blockKey(cid);
    await this.#queue.run(key, () => this.#forget(key));
  }

  /** Some at a time, so that they share transactions. */
  async *deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Aborting): AsyncGenerator<CID> {
    let batch: CID[] = [];
    const deleteBatch = async (): Promise<CID[]> => {
      const cids = batch;
      batch = [];
      await Promise.all(cids.map((cid) => this.delete(cid, options)));
      return cids;
    };
    for await (const cid of source) {
      batch.push(cid);
      if (batch.length === DELETES_AT_ONCE) yield* await deleteBatch();
    }
    yield* await deleteBatch();
  }

  async *list(): AsyncGenerator<CID> {
    this.#check();
    let count = 0;
    for (const key of [...this.#sizes.keys()]) {
      if (++count % CIDS_A_TASK === 0) await nextTurn();
      yield cidOfKey(key);
    }
  }

  /** Settles when the writes under way have ended. The worker lives on; where it has ended, there is nothing to close. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue.idle();
    try {
      await this.#work.close();
    } catch (error) {
      if (!isSharingError(error, "stopped")) throw error;
    }
  }

  #check(options?: Aborting): void {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw new SharingError("stopped", "the block store is closed");
  }

  /** Is the block there as it should be? What came to harm makes room for it. */
  async #isKept(key: string): Promise<boolean> {
    if (!this.#sizes.has(key)) return false;
    const why = await this.#work.look(key);
    if (why === undefined) this.#believe(key);
    else await this.#lose(key, why);
    return why === undefined;
  }

  /** A copy goes: the caller's buffer stays the caller's. What it went in comes back for the next. */
  async #send(key: string, bytes: Uint8Array, manner: PutManner): Promise<void> {
    const sizeBytes = bytes.byteLength;
    await this.#quota.spend(sizeBytes, async () => {
      const copy = this.#copyOf(bytes);
      const { buffer } = await this.#work.put(key, transfer(copy, [copy.buffer]), manner);
      const isSpare = sizeBytes > SHORT_BLOCK_BYTES && this.#spareCopies.length < MAX_SPARE_COPIES;
      if (isSpare) this.#spareCopies.push(buffer);
    });
    this.#sizes.set(key, sizeBytes);
    this.#believe(key);
  }

  #copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    if (bytes.byteLength <= SHORT_BLOCK_BYTES) return new Uint8Array(bytes);
    const spare = bytes.byteLength <= CHUNK_BYTES ? this.#spareCopies.pop() : undefined;
    const buffer = spare ?? new ArrayBuffer(Math.max(CHUNK_BYTES, bytes.byteLength));
    const copy = new Uint8Array(buffer, 0, bytes.byteLength);
    copy.set(bytes);
    return copy;
  }

  /**
   * `isForPeers`: as BlockStore.read says.
   * @throws NotFoundError also for a block that the browser has lost, whole or in part, which is then forgotten
   */
  async #read(cid: CID, isForPeers: boolean): Promise<Uint8Array> {
    const key = blockKey(cid);
    const bytes = await this.#readWhole(key, isForPeers);
    if (bytes instanceof Uint8Array) return bytes;
    // It may have been deleted, and put anew, during the read: lost is what is not there when nothing else is under way.
    return await this.#queue.run(key, async () => {
      const again = await this.#readWhole(key, isForPeers);
      if (again instanceof Uint8Array) return again;
      await this.#lose(key, again);
      throw new NotFoundError(`block ${cid} is not stored`);
    });
  }

  async #readWhole(key: string, isForPeers: boolean): Promise<Uint8Array | Loss["why"]> {
    const sizeBytes = this.#sizes.get(key);
    if (sizeBytes === undefined) return "gone";
    const doubted = isForPeers && this.#isDoubted(key);
    const bytes = await this.#work.read(key, doubted);
    if (!(bytes instanceof Uint8Array)) return bytes;
    if (bytes.byteLength !== sizeBytes) return "cut short";
    if (doubted) this.#believe(key);
    return bytes;
  }

  #isDoubted(key: string): boolean {
    return !isBelieved(this.#soundAtMs.get(key));
  }

  #believe(key: string): void {
    this.#soundAtMs.set(key, performance.now());
  }

  async #lose(key: string, why: Loss["why"]): Promise<void> {
    if (!this.#sizes.has(key)) return;
    await this.#forget(key);
    this.#onLost?.({ cid: cidOfKey(key).toString(), why });
  }

  async #forget(key: string): Promise<void> {
    const sizeBytes = this.#sizes.get(key);
    if (sizeBytes === undefined) return;
    await this.#work.delete(key);
    this.#sizes.delete(key);
    this.#soundAtMs.delete(key);
    this.#quota.giveBack(sizeBytes);
  }
}
