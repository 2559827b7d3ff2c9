/**
 * Blocks in memory: for tests, and for nodes that keep nothing. Made by whoever joins the ports; calls the
 * hash alone. Blocks are kept by their whole CID, codec included, so that deleting a leaf whose bytes happen
 * to be another file's node leaves that node alone.
 */
import { NotFoundError } from "interface-store";
import { CID } from "multiformats/cid";
import { deleteMany, getAll, getMany, put, putMany } from "../block-store-calls.ts";
import { collectBytes } from "../collect-bytes.ts";
import { SharingError } from "../errors.ts";
import { ChunkBuffers } from "../files/chunk-buffers.ts";
import { isBlock, verifyBlock } from "../hash.ts";
import type { BlockStore } from "../ports.ts";

type Aborting = { signal?: AbortSignal };

export class MemoryBlockStore implements BlockStore {
  readonly #blocks = new Map<string, Uint8Array>();
  /** Blocks that the next `read` hashes, by key. */
  readonly #doubted = new Set<string>();
  readonly buffers = new ChunkBuffers();
  readonly put = put;
  readonly putMany = putMany;
  readonly getMany = getMany;
  readonly getAll = getAll;
  readonly deleteMany = deleteMany;
  maxBytes: number;
  #usedBytes = 0;
  #closed = false;

  constructor({ maxBytes = Number.MAX_SAFE_INTEGER }: { maxBytes?: number } = {}) {
    this.maxBytes = maxBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  async availableBytes(): Promise<number> {
    return Math.max(0, this.maxBytes - this.#usedBytes);
  }

  async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    await verifyBlock(cid, bytes);
    this.#store(cid, bytes);
  }

  async write(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#store(cid, bytes);
  }

  async flush(): Promise<void> {}

  has(cid: CID, options?: Aborting): boolean {
    this.#check(options);
    return this.#blocks.has(keyOf(cid));
  }

  async *get(cid: CID, options?: Aborting): AsyncGenerator<Uint8Array> {
    this.#check(options);
    const bytes = this.#blocks.get(keyOf(cid));
    if (bytes === undefined) throw new NotFoundError(`block ${cid} is not stored`);
    yield bytes;
  }

  async read(cid: CID, _into: Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array> {
    const isDoubted = this.#doubted.delete(keyOf(cid));
    const bytes = await collectBytes(this.get(cid, { signal }));
    if (!isDoubted || (await isBlock(cid, bytes))) return bytes;
    this.#forget(keyOf(cid));
    throw new NotFoundError(`block ${cid} came to harm`);
  }

  doubt(cid: CID): void {
    if (this.#blocks.has(keyOf(cid))) this.#doubted.add(keyOf(cid));
  }

  async delete(cid: CID, options?: Aborting): Promise<void> {
    this.#check(options);
    this.#forget(keyOf(cid));
  }

  async *list(): AsyncGenerator<CID> {
    this.#check();
    for (const key of [...this.#blocks.keys()]) yield CID.parse(key);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#blocks.clear();
    this.#usedBytes = 0;
  }

  #store(cid: CID, bytes: Uint8Array): void {
    this.#check();
    const key = keyOf(cid);
    const kept = this.#blocks.get(key);
    if (kept !== undefined && areEqual(kept, bytes)) return;
    this.#forget(key);
    if (bytes.byteLength > this.maxBytes - this.#usedBytes) {
      throw new SharingError("storage_full", `no room for a block of ${bytes.byteLength} bytes`);
    }
    this.#blocks.set(key, bytes.slice());
    this.#usedBytes += bytes.byteLength;
  }

  #forget(key: string): void {
    this.#usedBytes -= this.#blocks.get(key)?.byteLength ?? 0;
    this.#blocks.delete(key);
    this.#doubted.delete(key);
  }

  #check(options?: Aborting): void {
    options?.signal?.throwIfAborted();
    if (this.#closed) throw new SharingError("stopped", "the block store is closed");
  }
}

function areEqual(some: Uint8Array, others: Uint8Array): boolean {
  if (some.length !== others.length) return false;
  // Ten times as fast as `every`.
  for (let at = 0; at < some.length; at++) if (some[at] !== others[at]) return false;
  return true;
}

/** A CIDv0 and its CIDv1 name the same block. */
function keyOf(cid: CID): string {
  return cid.toV1().toString();
}
