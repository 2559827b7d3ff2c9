/**
 * Blocks on the file system. Made by open-block-store; calls segment-files and sound-bytes for the bytes, and block-index
 * for where they stand. A block counts as stored once its bytes are written and its place is in the index, so a torn write
 * is never visible; `flush` makes all of them survive power loss. What is held is known from the index read at open.
 *
 *   <root>/segments/    see segment-files.ts
 *   <root>/index/       see block-index.ts
 */
import { NotFoundError } from "interface-store";
import { CID } from "multiformats/cid";
import { BlockQuota } from "../../sharing/block-quota.ts";
import { deleteMany, getAll, getMany, put, putMany } from "../../sharing/block-store-calls.ts";
import type { Loss, LostBlock } from "../../sharing/catalog/loss-log.ts";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { ChunkBuffers } from "../../sharing/files/chunk-buffers.ts";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import type { BlockStore, PutOptions, WholeFile } from "../../sharing/ports.ts";
import { diskError } from "../files/disk-errors.ts";
import { newPageBuffer } from "../files/page-memory.ts";
import { BLOCK_WRITES_AT_ONCE } from "../limits.ts";
import { BlockFlushes } from "./block-flushes.ts";
import { type BlockIndex, type DurableMark, keyOf } from "./block-index.ts";
import { Compaction } from "./compaction.ts";
import { DiskRoom } from "./disk-room.ts";
import { FsWholeFile, type WholePlace } from "./fs-whole-file.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";
import { type Reading, SoundBytes } from "./sound-bytes.ts";
import { startSha256, verifyBlockNow } from "./verify-now.ts";
import type { WholeFiles } from "./whole-files.ts";

type Aborting = { signal?: AbortSignal };

export interface FsBlockStoreOptions {
  /** Folder of this store's own; made when absent. No other process may have it open. */
  root: string;
  /** Most bytes of blocks to hold. */
  maxBytes: number;
  /** Work that nobody waits for failed: it is done again later. */
  onError: (error: unknown) => void;
  /** A block that was stored is so no longer, though nobody deleted it. For the log. */
  onLost?: (block: LostBlock) => void;
}

/** What stands in the folder, as it was read at open. */
export interface FsBlockStoreParts {
  index: BlockIndex;
  segments: SegmentFiles;
  wholes: WholeFiles;
  places: Map<string, BlockPlace>;
  durable: DurableMark;
  lastFlush: number;
}

export class FsBlockStore implements BlockStore {
  readonly buffers = new ChunkBuffers(newPageBuffer);
  readonly startHash = startSha256;
  readonly put = put;
  readonly putMany = putMany;
  readonly getMany = getMany;
  readonly getAll = getAll;
  readonly #disk: DiskRoom;
  readonly #quota: BlockQuota;
  readonly #index: BlockIndex;
  readonly #segments: SegmentFiles;
  readonly #wholes: WholeFiles;
  readonly #bytes: SoundBytes;
  /** Where each block held stands, by key. */
  readonly #places: Map<string, BlockPlace>;
  readonly #compaction: Compaction;
  /** Puts and deletes of one block, one after another. */
  readonly #queue = new KeyedQueue(BLOCK_WRITES_AT_ONCE);
  readonly #flushes: BlockFlushes;
  readonly #onLost: ((block: LostBlock) => void) | undefined;
  #closed = false;

  constructor({ root, maxBytes, onError, onLost }: FsBlockStoreOptions, parts: FsBlockStoreParts) {
    const { index, segments, wholes, places, durable, lastFlush } = parts;
    this.#onLost = onLost;
    this.#disk = new DiskRoom(root);
    this.#index = index;
    this.#segments = segments;
    this.#wholes = wholes;
    this.#bytes = new SoundBytes(segments, wholes);
    this.#places = places;
    const usedBytes = [...places.values()].reduce((total, { sizeBytes }) => total + sizeBytes, 0);
    this.#quota = new BlockQuota("the limit in its settings (max_storage)", maxBytes, usedBytes);
    this.#flushes = new BlockFlushes({
      index,
      segments,
      durable,
      firstFlush: lastFlush + 1,
      forget: (isLost, error) => this.#forgetWhere(isLost, { why: "not durable", error }),
      onError,
    });
    this.#compaction = new Compaction(segments, places, {
      copy: (key, place) => this.#queue.run(key, () => this.#copy(key, place)),
      replace: (key, place, copy) => this.#queue.run(key, () => this.#replace(key, place, copy)),
      isOpen: (segment) => wholes.isOpen(segment),
      removed: (segment) => wholes.forget(segment),
      settled: () => this.#flushes.settled(),
      flush: () => this.flush(),
      keepDeletions: () => this.#flushes.keepDeletions(),
      onError,
    });
    this.#compaction.resume((segment) => wholes.isUnfinished(segment));
  }

  get usedBytes(): number {
    return this.#quota.usedBytes;
  }

  get maxBytes(): number {
    return this.#quota.maxBytes;
  }

  set maxBytes(bytes: number) {
    this.#quota.maxBytes = bytes;
  }

  async availableBytes(): Promise<number> {
    return Math.max(0, Math.min(this.#quota.restBytes, await this.#disk.freeBytes()));
  }

  async putVerified(cid: CID, bytes: Uint8Array, { sha256 }: PutOptions = {}): Promise<void> {
    verifyBlockNow(cid, bytes, sha256);
    await this.write(cid, bytes);
  }

  async write(cid: CID, bytes: Uint8Array): Promise<void> {
    await this.#write(cid, bytes, undefined);
  }

  async openWhole(root: CID): Promise<WholeFile> {
    this.#check();
    try {
      const isLeaving = (number: number) => this.#compaction.isLeaving(number);
      const segment = await this.#wholes.begin(keyOf(root), isLeaving);
      return new FsWholeFile(segment, this.#segments.pathOf(segment), {
        files: this.#wholes,
        places: this.#places,
        write: (cid, bytes, at) => this.#write(cid, bytes, at),
        ended: () => this.#compaction.freed(segment),
      });
    } catch (error) {
      throw diskError(error);
    }
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
    return await this.#read(keyOf(cid), { into, isForPeers: true });
  }

  doubt(cid: CID): void {
    const place = this.#places.get(keyOf(cid));
    if (place !== undefined) place.soundAtMs = undefined;
  }

  async delete(cid: CID, options?: Aborting): Promise<void> {
    this.#check(options);
    const key = keyOf(cid);
    await this.#queue.run(key, () => this.#forget(key));
  }

  /** On a full disk, what is deleted gives at once the room in which that is noted, here and in the records. */
  async *deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Aborting): AsyncGenerator<CID> {
    yield* deleteMany.call(this, source, options);
    if (!this.#index.isBehind && (await this.#disk.freeBytes()) > 0) return;
    await this.#compaction.runNow();
    if (this.#index.isBehind) await this.#index.delete([]);
  }

  async *list(): AsyncGenerator<CID> {
    this.#check();
    for (const key of [...this.#places.keys()]) yield CID.parse(key);
  }

  async flush(): Promise<void> {
    await this.#flushes.request();
  }

  async reclaim(): Promise<void> {
    await this.#compaction.runNow();
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

  /** @throws SharingError `storage_full` when the disk is full even of blocks that are held */
  async #makeRoom(sizeBytes: number): Promise<void> {
    try {
      return await this.#disk.take(sizeBytes);
    } catch (error) {
      if (!isSharingError(error, "storage_full")) throw error;
      await this.reclaim();
      await this.#disk.take(sizeBytes);
    }
  }

  /** `at`: where in a whole file. */
  async #write(cid: CID, bytes: Uint8Array, at: WholePlace | undefined): Promise<void> {
    this.#check();
    const key = keyOf(cid);
    await this.#makeRoom(bytes.byteLength);
    try {
      await this.#queue.run(key, () => this.#store(key, bytes, at));
    } finally {
      this.#disk.written(bytes.byteLength);
    }
    await this.#flushes.requestSoon();
  }

  async #store(key: string, bytes: Uint8Array, at: WholePlace | undefined): Promise<void> {
    const sizeBytes = bytes.byteLength;
    try {
      if (at && this.#places.has(key)) {
        await this.#flushes.cover(sizeBytes, this.#segments.writeAt(at, bytes));
      } else if (!(await this.#isKept(key, bytes))) {
        await this.#quota.spend(sizeBytes, () => this.#place(key, bytes, at));
      }
    } catch (error) {
      throw diskError(error);
    }
  }

  /** Do these bytes stand on the disk already? What came to harm there makes room for them. */
  async #isKept(key: string, bytes: Uint8Array): Promise<boolean> {
    const place = this.#places.get(key);
    if (place === undefined) return false;
    const buffer = this.buffers.take();
    try {
      const loss = await this.#bytes.differ(place, bytes, buffer);
      if (loss !== undefined) await this.#lose(key, loss);
      return loss === undefined;
    } finally {
      this.buffers.give(buffer);
    }
  }

  async #place(key: string, bytes: Uint8Array, at: WholePlace | undefined): Promise<void> {
    const placing = at ? this.#fill(key, bytes, at) : this.#append(key, bytes);
    const place = await this.#flushes.cover(bytes.byteLength, placing);
    // Not in a spread copy, to which V8 would give a hidden class of its own.
    place.soundAtMs = performance.now();
    this.#places.set(key, place);
  }

  async #append(key: string, bytes: Uint8Array): Promise<BlockPlace> {
    const place = await this.#segments.append(bytes);
    await this.#index.put(key, place);
    return place;
  }

  async #fill(key: string, bytes: Uint8Array, at: WholePlace): Promise<BlockPlace> {
    const { segment, offset } = at;
    const place = { segment, offset, sizeBytes: bytes.byteLength, flush: this.#flushes.next };
    await this.#segments.writeAt(place, bytes);
    await this.#index.put(key, place);
    return place;
  }

  /** @throws NotFoundError */
  async #read(key: string, reading: Reading = {}): Promise<Uint8Array> {
    const place = this.#places.get(key);
    if (place === undefined) throw new NotFoundError(`block ${key} is not stored`);
    const bytes = await this.#bytes.read(key, place, reading);
    if (bytes instanceof Uint8Array) return bytes;
    await this.#loseAt(key, place, bytes);
    return await this.#read(key, reading);
  }

  async #forgetWhere(isLost: (place: BlockPlace) => boolean, loss: Loss): Promise<void> {
    const lost = [...this.#places].filter(([, place]) => isLost(place));
    for (const [key, place] of lost) await this.#loseAt(key, place, loss);
  }

  /** Unless it was moved, or deleted and put anew, meanwhile. */
  async #loseAt(key: string, place: BlockPlace, loss: Loss): Promise<void> {
    await this.#queue.run(key, async () => {
      if (this.#places.get(key) === place) await this.#lose(key, loss);
    });
  }

  async #lose(key: string, loss: Loss): Promise<void> {
    await this.#forget(key);
    this.#onLost?.({ cid: key, ...loss });
  }

  async #forget(key: string): Promise<void> {
    const place = this.#places.get(key);
    if (place === undefined) return;
    await this.#index.delete([key]);
    this.#places.delete(key);
    this.#quota.giveBack(place.sizeBytes);
    this.#compaction.freed(place.segment);
  }

  /** Behind the last block, so that the old segment can go. */
  async #copy(key: string, from: BlockPlace): Promise<BlockPlace | undefined> {
    if (this.#places.get(key) !== from) return undefined;
    const bytes = await this.#bytes.read(key, from);
    if (bytes instanceof Uint8Array) {
      const copy = await this.#flushes.cover(bytes.byteLength, this.#segments.append(bytes));
      copy.soundAtMs = from.soundAtMs;
      return copy;
    }
    await this.#lose(key, bytes);
    return undefined;
  }

  async #replace(key: string, from: BlockPlace, copy: BlockPlace): Promise<boolean> {
    if (this.#places.get(key) !== from) return false;
    await this.#index.put(key, copy);
    this.#places.set(key, copy);
    return true;
  }
}
