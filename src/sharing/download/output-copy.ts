/**
 * The copy of a download outside the chunk store. Where the store can keep the file whole, and it has more than a chunk, the
 * copy is another name of that, and each chunk is written once. Elsewhere new chunks are written a second time as they come.
 * Those that were here before are read back and verified at the end. Made by transfer-chunks, filled by transfer-work; writes
 * through the ports BlockStore and Files.
 */
import type { CID } from "multiformats/cid";
import { bitfieldBytes, hasBit, setBit } from "../bitfield.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { isMissingBlock, noRoom } from "../errors.ts";
import { verifyBlock } from "../hash.ts";
import { CHUNK_BYTES, MIN_WHOLE_CHUNKS } from "../limits.ts";
import type { BlockStore, FileOutput, PutOptions, WholeFile } from "../ports.ts";

export class OutputCopy {
  readonly #output: FileOutput;
  readonly #entry: CatalogEntry;
  readonly #blocks: BlockStore;
  readonly #written: Uint8Array;
  #opening: Promise<WholeFile | undefined> | undefined;
  #room: Promise<void> | undefined;

  constructor(output: FileOutput, entry: CatalogEntry, blocks: BlockStore) {
    this.#output = output;
    this.#entry = entry;
    this.#blocks = blocks;
    this.#written = new Uint8Array(bitfieldBytes(entry.manifest.chunkCount));
  }

  /** Before any of it is fetched. @throws SharingError `storage_full` where what is missing does not fit */
  expectRoom(): Promise<void> {
    this.#room ??= this.#expectRoomFor((index) => !this.#entry.holding.has(index));
    return this.#room;
  }

  /**
   * Stores a new chunk here and there, if it is what the manifest says.
   * @throws SharingError `hash_mismatch`, `storage_full`
   */
  async store(index: number, bytes: Uint8Array, options: PutOptions): Promise<void> {
    const cid = this.#entry.manifest.chunkCid(index);
    if (hasBit(this.#written, index) && this.#entry.holding.has(index)) {
      await verifyBlock(cid, bytes, options.sha256);
      return;
    }
    const whole = await this.#openWhole();
    if (whole) {
      await whole.putVerified(cid, index * CHUNK_BYTES, bytes, options);
    } else {
      await this.#blocks.putVerified(cid, bytes, options);
      await this.#output.write(index * CHUNK_BYTES, bytes);
    }
    setBit(this.#written, index);
  }

  /**
   * Writes every chunk that is held and not yet written; gives those that are damaged or gone.
   * @throws SharingError `storage_full`, before any is written where they don't fit
   */
  async copyRest(signal: AbortSignal): Promise<number[]> {
    await this.#openWhole();
    await this.#expectRoomFor((index) => !hasBit(this.#written, index));
    const damaged: number[] = [];
    for (let index = 0; index < this.#entry.manifest.chunkCount; index++) {
      if (hasBit(this.#written, index)) continue;
      signal.throwIfAborted();
      if (!(await this.#copy(index, signal))) damaged.push(index);
    }
    return damaged;
  }

  async commit(): Promise<void> {
    const { sizeBytes } = this.#entry.manifest;
    const whole = await this.#opening;
    await whole?.seal(sizeBytes);
    await this.#output.commit(sizeBytes);
  }

  /** Ends its use, whatever became of it. */
  async close(): Promise<void> {
    (await this.#opening)?.close();
  }

  /** Of chunks that stand in the output, or come to. For a single one the disk is not asked: where it is full, it says so. */
  async #expectRoomFor(isNeeded: (index: number) => boolean): Promise<void> {
    const neededBytes = this.#bytesOf(isNeeded);
    if (neededBytes <= CHUNK_BYTES) return;
    const writtenBytes = this.#bytesOf((index) => hasBit(this.#written, index));
    let freeBytes = await this.#output.freeBytes(writtenBytes);
    if (neededBytes > freeBytes && this.#blocks.reclaim) {
      await this.#blocks.reclaim();
      freeBytes = await this.#output.freeBytes(writtenBytes);
    }
    if (neededBytes > freeBytes) throw noRoom(neededBytes, freeBytes);
  }

  #bytesOf(isMeant: (index: number) => boolean): number {
    const { chunkCount, chunkBytes } = this.#entry.manifest;
    let bytes = 0;
    for (let index = 0; index < chunkCount; index++) if (isMeant(index)) bytes += chunkBytes(index);
    return bytes;
  }

  /** False when the chunk is damaged, gone, or not of that length: then it is no longer held. */
  async #copy(index: number, signal: AbortSignal): Promise<boolean> {
    const cid = this.#entry.manifest.chunkCid(index);
    const offset = index * CHUNK_BYTES;
    const whole = await this.#openWhole();
    const buffer = this.#blocks.buffers.take();
    try {
      const bytes = await this.#read(cid, buffer, signal);
      if (bytes?.length !== this.#entry.manifest.chunkBytes(index)) return false;
      if (whole) await whole.putVerified(cid, offset, bytes, { sha256: cid.multihash.digest });
      else await this.#output.write(offset, bytes);
    } finally {
      this.#blocks.buffers.give(buffer);
    }
    setBit(this.#written, index);
    return true;
  }

  /** The chunk's bytes, hashed. */
  async #read(cid: CID, into: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
    this.#blocks.doubt(cid);
    try {
      return await this.#blocks.read(cid, into, signal);
    } catch (error) {
      if (!isMissingBlock(error)) throw error;
      return undefined;
    }
  }

  #openWhole(): Promise<WholeFile | undefined> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<WholeFile | undefined> {
    const { manifest } = this.#entry;
    if (manifest.chunkCount < MIN_WHOLE_CHUNKS) return undefined;
    const whole = await this.#blocks.openWhole?.(manifest.root);
    if (!whole) return undefined;
    let isAdopted: boolean | undefined;
    try {
      isAdopted = await this.#output.adopt?.(whole.path);
    } finally {
      if (!isAdopted) whole.close();
    }
    if (!isAdopted) return undefined;
    for (let index = 0; index < manifest.chunkCount; index++) {
      if (whole.holds(manifest.chunkCid(index), index * CHUNK_BYTES)) setBit(this.#written, index);
    }
    return whole;
  }
}
