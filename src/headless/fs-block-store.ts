/**
 * Blocks as files, one each. Opened by main; calls block-folder for names and durable for writing. A block is
 * written to a temporary file, synced, renamed into its shard and the shard synced, so a torn write is never
 * visible and an acknowledged one survives power loss. What is held is known from the listing read at open.
 */
import { mkdir, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { InputPair, Pair } from "interface-blockstore";
import { NotFoundError } from "interface-store";
import { CID } from "multiformats/cid";
import { type BlockBytes, collectBytes } from "../sharing/collect-bytes.ts";
import { SharingError } from "../sharing/errors.ts";
import { verifyBlock } from "../sharing/hash.ts";
import type { BlockStore } from "../sharing/ports.ts";
import { blockPath, INCOMING, keyOf, listBlocks, shardFolder } from "./block-folder.ts";
import { diskError, hasCode } from "./disk-errors.ts";
import { readFully, syncFolder, writeFully } from "./durable.ts";
import { KeyedQueue } from "./keyed-queue.ts";
import { BLOCK_WRITES_AT_ONCE } from "./limits.ts";

type Aborting = { signal?: AbortSignal };

export interface FsBlockStoreOptions {
  /** Folder of this store's own; made when absent. No other process may have it open. */
  root: string;
  /** Most bytes of blocks to hold. */
  maxBytes: number;
}

export async function openFsBlockStore(options: FsBlockStoreOptions): Promise<FsBlockStore> {
  const { root } = options;
  await rm(join(root, INCOMING), { recursive: true, force: true });
  await mkdir(join(root, INCOMING), { recursive: true, mode: 0o700 });
  return new FsBlockStore(options, await listBlocks(root));
}

export class FsBlockStore implements BlockStore {
  readonly #root: string;
  readonly #maxBytes: number;
  /** Size of each block held, by key. */
  readonly #sizes: Map<string, number>;
  readonly #shardsMade = new Set<string>();
  readonly #queue = new KeyedQueue(BLOCK_WRITES_AT_ONCE);
  #usedBytes = 0;
  /** Bytes of puts under way, taken off the quota before the first of them is written. */
  #reservedBytes = 0;
  #incomingCount = 0;
  #closed = false;

  constructor({ root, maxBytes }: FsBlockStoreOptions, sizes: Map<string, number>) {
    this.#root = root;
    this.#maxBytes = maxBytes;
    this.#sizes = sizes;
    for (const sizeBytes of sizes.values()) this.#usedBytes += sizeBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async availableBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root);
    return Math.max(0, Math.min(this.#quotaRest(), bavail * bsize));
  }

  async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    await verifyBlock(cid, bytes);
    await this.#store(cid, bytes);
  }

  async put(cid: CID, input: BlockBytes, options?: Aborting): Promise<CID> {
    const bytes = await collectBytes(input);
    options?.signal?.throwIfAborted();
    await this.#store(cid, bytes);
    return cid;
  }

  async *putMany(
    source: Iterable<InputPair> | AsyncIterable<InputPair>,
    options?: Aborting,
  ): AsyncGenerator<CID> {
    for await (const { cid, bytes } of source) yield await this.put(cid, bytes, options);
  }

  has(cid: CID, options?: Aborting): boolean {
    this.#check(options);
    return this.#sizes.has(keyOf(cid));
  }

  /** @throws NotFoundError also for a block that is found torn or missing on the disk, which is then forgotten */
  async *get(cid: CID, options?: Aborting): AsyncGenerator<Uint8Array> {
    this.#check(options);
    const key = keyOf(cid);
    const sizeBytes = this.#sizes.get(key);
    const bytes = sizeBytes === undefined ? undefined : await this.#read(key, sizeBytes);
    options?.signal?.throwIfAborted();
    if (bytes === undefined) throw new NotFoundError(`block ${key} is not stored`);
    yield bytes;
  }

  async *getMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Aborting): AsyncGenerator<Pair> {
    for await (const cid of source) yield { cid, bytes: this.get(cid, options) };
  }

  async *getAll(options?: Aborting): AsyncGenerator<Pair> {
    for await (const cid of this.list()) yield { cid, bytes: this.get(cid, options) };
  }

  async delete(cid: CID, options?: Aborting): Promise<void> {
    this.#check(options);
    const key = keyOf(cid);
    await this.#queue.run(key, () => this.#forget(key));
  }

  async *deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Aborting): AsyncGenerator<CID> {
    for await (const cid of source) {
      await this.delete(cid, options);
      yield cid;
    }
  }

  async *list(): AsyncGenerator<CID> {
    this.#check();
    for (const key of [...this.#sizes.keys()]) yield CID.parse(key);
  }

  /** Settles when the writes under way have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.idle();
  }

  #check(options?: Aborting): void {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw new SharingError("stopped", "the block store is closed");
  }

  #quotaRest(): number {
    return this.#maxBytes - this.#usedBytes - this.#reservedBytes;
  }

  async #store(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#check();
    const key = keyOf(cid);
    await this.#queue.run(key, async () => {
      if (this.#sizes.has(key)) return;
      const sizeBytes = bytes.byteLength;
      if (sizeBytes > this.#quotaRest()) {
        throw new SharingError("storage_full", `the quota has no room for a block of ${sizeBytes} bytes`);
      }
      this.#reservedBytes += sizeBytes;
      try {
        await this.#write(key, bytes);
      } catch (error) {
        throw diskError(error);
      } finally {
        this.#reservedBytes -= sizeBytes;
      }
      this.#sizes.set(key, sizeBytes);
      this.#usedBytes += sizeBytes;
    });
  }

  async #write(key: string, bytes: Uint8Array): Promise<void> {
    const path = blockPath(this.#root, key, bytes.byteLength);
    const incoming = join(this.#root, INCOMING, String(this.#incomingCount++));
    try {
      const handle = await open(incoming, "wx", 0o600);
      try {
        await writeFully(handle, bytes, 0);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await this.#makeShard(shardFolder(this.#root, key));
      await rename(incoming, path);
    } catch (error) {
      await rm(incoming, { force: true });
      throw error;
    }
    await syncFolder(dirname(path));
  }

  async #makeShard(folder: string): Promise<void> {
    if (this.#shardsMade.has(folder)) return;
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(this.#root);
    this.#shardsMade.add(folder);
  }

  async #read(key: string, sizeBytes: number): Promise<Uint8Array | undefined> {
    try {
      const handle = await open(blockPath(this.#root, key, sizeBytes), "r");
      try {
        const bytes = new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer);
        if ((await readFully(handle, bytes, 0)) === sizeBytes) return bytes;
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (!hasCode(error, "ENOENT")) throw error;
    }
    await this.#queue.run(key, () => this.#forgetUnlessWhole(key));
    return undefined;
  }

  /** Looks again, in turn with puts and deletes: the block may have been deleted and put anew during the read. */
  async #forgetUnlessWhole(key: string): Promise<void> {
    const sizeBytes = this.#sizes.get(key);
    if (sizeBytes === undefined) return;
    const found = await stat(blockPath(this.#root, key, sizeBytes)).catch((error) => {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    });
    if (found?.size !== sizeBytes) await this.#forget(key);
  }

  async #forget(key: string): Promise<void> {
    const sizeBytes = this.#sizes.get(key);
    if (sizeBytes === undefined) return;
    await rm(blockPath(this.#root, key, sizeBytes), { force: true });
    this.#sizes.delete(key);
    this.#usedBytes -= sizeBytes;
  }
}
