/**
 * Blocks on the file system. Opened by main; calls segment-files for the bytes and block-index for where they stand.
 * A block counts as stored once its bytes are written and its place is in the index, so a torn write is never
 * visible; `flush` makes all of them survive power loss. What is held is known from the index read at open.
 *
 *   <root>/segments/    see segment-files.ts
 *   <root>/index/       see block-index.ts
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { NotFoundError } from "interface-store";
import { CID } from "multiformats/cid";
import { deleteMany, getAll, getMany, put, putMany } from "../sharing/block-store-calls.ts";
import { ChunkBuffers } from "../sharing/chunk-buffers.ts";
import { isSharingError, SharingError } from "../sharing/errors.ts";
import { KeyedQueue } from "../sharing/keyed-queue.ts";
import type { BlockStore } from "../sharing/ports.ts";
import { BlockIndex, keyOf } from "./block-index.ts";
import { Coalesced } from "./coalesced.ts";
import { Compaction } from "./compaction.ts";
import { diskError } from "./disk-errors.ts";
import { DiskRoom } from "./disk-room.ts";
import { BLOCK_WRITES_AT_ONCE, FLUSH_BYTES, MAX_UNFLUSHED_BYTES } from "./limits.ts";
import { newPageBuffer } from "./page-memory.ts";
import { type BlockPlace, SegmentFiles } from "./segment-files.ts";
import { soundPlaces } from "./sound-places.ts";
import { verifyBlockNow } from "./verify-now.ts";

type Aborting = { signal?: AbortSignal };

export interface FsBlockStoreOptions {
  /** Folder of this store's own; made when absent. No other process may have it open. */
  root: string;
  /** Most bytes of blocks to hold. */
  maxBytes: number;
  /** Work that nobody waits for failed: it is done again later. */
  onError: (error: unknown) => void;
}

export async function openFsBlockStore(options: FsBlockStoreOptions): Promise<FsBlockStore> {
  const { root } = options;
  await mkdir(root, { recursive: true, mode: 0o700 });
  const index = await BlockIndex.open(join(root, "index"));
  try {
    const segments = await SegmentFiles.open(join(root, "segments"));
    return new FsBlockStore(options, { index, segments, places: await soundPlaces(index, segments) });
  } catch (error) {
    await index.close();
    throw error;
  }
}

interface Parts {
  index: BlockIndex;
  segments: SegmentFiles;
  places: Map<string, BlockPlace>;
}

export class FsBlockStore implements BlockStore {
  readonly buffers = new ChunkBuffers(newPageBuffer);
  readonly put = put;
  readonly putMany = putMany;
  readonly getMany = getMany;
  readonly getAll = getAll;
  readonly deleteMany = deleteMany;
  maxBytes: number;
  readonly #disk: DiskRoom;
  readonly #onError: (error: unknown) => void;
  readonly #index: BlockIndex;
  readonly #segments: SegmentFiles;
  /** Where each block held stands, by key. */
  readonly #places: Map<string, BlockPlace>;
  readonly #compaction: Compaction;
  /** Puts and deletes of one block, one after another. */
  readonly #queue = new KeyedQueue(BLOCK_WRITES_AT_ONCE);
  /** Blocks whose place is taken and not yet in the index. */
  readonly #placing = new Set<Promise<BlockPlace>>();
  readonly #flushes = new Coalesced(() => this.#flushNow());
  #usedBytes = 0;
  /** Bytes of puts under way, taken off the quota before the first of them is written. */
  #reservedBytes = 0;
  #unflushedBytes = 0;
  #closed = false;

  constructor({ root, maxBytes, onError }: FsBlockStoreOptions, { index, segments, places }: Parts) {
    this.#disk = new DiskRoom(root);
    this.maxBytes = maxBytes;
    this.#onError = onError;
    this.#index = index;
    this.#segments = segments;
    this.#places = places;
    for (const { sizeBytes } of places.values()) this.#usedBytes += sizeBytes;
    this.#compaction = new Compaction(segments, places, {
      move: (key, place) => this.#queue.run(key, () => this.#move(key, place)),
      settled: () => this.#settled(),
      flush: () => this.flush(),
      onError,
    });
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async availableBytes(): Promise<number> {
    return Math.max(0, Math.min(this.#quotaRest(), await this.#disk.freeBytes()));
  }

  async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    verifyBlockNow(cid, bytes);
    await this.write(cid, bytes);
  }

  async write(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#check();
    const key = keyOf(cid);
    await this.#makeRoom(bytes.byteLength);
    try {
      await this.#queue.run(key, () => this.#store(key, bytes));
    } finally {
      this.#disk.written(bytes.byteLength);
    }
    await this.#flushSoon();
  }

  has(cid: CID, options?: Aborting): boolean {
    this.#check(options);
    return this.#places.has(keyOf(cid));
  }

  /** @throws NotFoundError also for a block that is found torn or missing on the disk, which is then forgotten */
  async *get(cid: CID, options?: Aborting): AsyncGenerator<Uint8Array> {
    this.#check(options);
    const key = keyOf(cid);
    const bytes = await this.#read(key);
    options?.signal?.throwIfAborted();
    yield bytes;
  }

  async read(cid: CID, into: Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array> {
    this.#check({ signal });
    return await this.#read(keyOf(cid), into);
  }

  async delete(cid: CID, options?: Aborting): Promise<void> {
    this.#check(options);
    const key = keyOf(cid);
    await this.#queue.run(key, () => this.#forget(key));
  }

  async *list(): AsyncGenerator<CID> {
    this.#check();
    for (const key of [...this.#places.keys()]) yield CID.parse(key);
  }

  async flush(): Promise<void> {
    await this.#flushes.request();
  }

  /** Settles when the writes under way have ended and are durable. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#compaction.stop();
    await this.#queue.idle();
    try {
      await this.flush();
    } finally {
      await this.#segments.close();
      await this.#index.close();
    }
  }

  #check(options?: Aborting): void {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw new SharingError("stopped", "the block store is closed");
  }

  #quotaRest(): number {
    return this.maxBytes - this.#usedBytes - this.#reservedBytes;
  }

  /** @throws SharingError `storage_full` when the disk is full even of blocks that are held */
  async #makeRoom(sizeBytes: number): Promise<void> {
    try {
      return await this.#disk.take(sizeBytes);
    } catch (error) {
      if (!isSharingError(error, "storage_full")) throw error;
      await this.#compaction.runNow();
      await this.#disk.take(sizeBytes);
    }
  }

  async #store(key: string, bytes: Uint8Array): Promise<void> {
    if (this.#places.has(key)) return;
    const sizeBytes = bytes.byteLength;
    if (sizeBytes > this.#quotaRest()) {
      throw new SharingError("storage_full", `the quota has no room for a block of ${sizeBytes} bytes`);
    }
    this.#reservedBytes += sizeBytes;
    try {
      await this.#place(key, bytes);
    } finally {
      this.#reservedBytes -= sizeBytes;
    }
    this.#usedBytes += sizeBytes;
  }

  async #place(key: string, bytes: Uint8Array): Promise<void> {
    const placing = this.#append(key, bytes);
    this.#placing.add(placing);
    try {
      this.#places.set(key, await placing);
      this.#unflushedBytes += bytes.byteLength;
    } catch (error) {
      throw diskError(error);
    } finally {
      this.#placing.delete(placing);
    }
  }

  async #append(key: string, bytes: Uint8Array): Promise<BlockPlace> {
    const place = await this.#segments.append(bytes);
    await this.#index.put(key, place);
    return place;
  }

  /** What is not durable grows no further than its limit. */
  async #flushSoon(): Promise<void> {
    if (this.#unflushedBytes >= MAX_UNFLUSHED_BYTES) await this.flush();
    else if (this.#unflushedBytes >= FLUSH_BYTES && !this.#flushes.isRunning)
      this.flush().catch(this.#onError);
  }

  async #flushNow(): Promise<void> {
    const end = this.#segments.position();
    const unflushedBytes = this.#unflushedBytes;
    await this.#settled();
    try {
      await this.#segments.sync();
      await this.#index.setDurable(end);
    } catch (error) {
      throw diskError(error);
    }
    this.#unflushedBytes -= unflushedBytes;
  }

  async #settled(): Promise<void> {
    await Promise.allSettled(this.#placing);
  }

  /** @throws NotFoundError */
  async #read(key: string, into?: Uint8Array): Promise<Uint8Array> {
    const place = this.#places.get(key);
    if (place === undefined) throw new NotFoundError(`block ${key} is not stored`);
    const bytes = await this.#segments.read(place, into);
    if (bytes !== undefined) return bytes;
    await this.#queue.run(key, async () => {
      // Unless it was moved, or deleted and put anew, during the read.
      if (this.#places.get(key) === place) await this.#forget(key);
    });
    return await this.#read(key, into);
  }

  async #forget(key: string): Promise<void> {
    const place = this.#places.get(key);
    if (place === undefined) return;
    await this.#index.delete([key]);
    this.#places.delete(key);
    this.#usedBytes -= place.sizeBytes;
    this.#compaction.freed(place);
  }

  /** Puts a block behind the last one, so that its old segment can go. */
  async #move(key: string, from: BlockPlace): Promise<void> {
    if (this.#places.get(key) !== from) return;
    const bytes = await this.#segments.read(from);
    if (bytes === undefined) await this.#forget(key);
    else await this.#place(key, bytes);
  }
}
