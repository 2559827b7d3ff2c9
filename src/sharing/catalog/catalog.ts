/**
 * The files held here, whole or in part: their records, manifests and held chunks. Opened by stored, at a start: every file is
 * loaded, and which of its chunks are there is found out. Calls stored-chunks for that, and block-uses, so that a block goes with
 * its last file.
 */
import type { CID } from "multiformats/cid";
import { isSharingError, SharingError } from "../errors.ts";
import { parseFileId } from "../file-id.ts";
import type { DagNode, Manifest } from "../files/manifest.ts";
import { KeyedQueue } from "../keyed-queue.ts";
import type { BlockStore, Log, Records } from "../ports.ts";
import { BlockUses } from "./block-uses.ts";
import { CatalogEntry, chunkCountOf, type FileRecord, type LocalFile } from "./catalog-entry.ts";
import { FileRecords } from "./file-records.ts";
import { Holding } from "./holding.ts";
import { findHeld, storedManifest } from "./stored-chunks.ts";

interface FileFacts {
  name: string;
  createdAt: Date;
  isUnlisted: boolean;
}

/** What may be changed of a file that is here. */
type FileState = Pick<CatalogEntry, "name" | "isUnlisted">;

type FileChange = Partial<FileState>;

export class Catalog {
  readonly #blocks: BlockStore;
  readonly #records: FileRecords;
  readonly #uses: BlockUses;
  readonly #entries = new Map<string, CatalogEntry>();
  /** Files whose inner nodes are lost: nothing of them can be named until they are fetched again. */
  readonly #broken = new Map<string, FileRecord>();
  /** Of those that bring or change one file at once, each waits until the one before has recorded that, or could not. */
  readonly #writes = new KeyedQueue(Number.POSITIVE_INFINITY);

  private constructor(blocks: BlockStore, records: Records, log: Log) {
    this.#blocks = blocks;
    this.#records = new FileRecords(records);
    this.#uses = new BlockUses(blocks, log);
  }

  /** Loads every file, finds out which chunks are there, notes which files are whole, and removes blocks that no file uses. */
  static async open(blocks: BlockStore, records: Records, log: Log): Promise<Catalog> {
    const catalog = new Catalog(blocks, records, log);
    const foundWhole: CatalogEntry[] = [];
    for await (const [id, record] of catalog.#records.entries()) {
      const entry = await catalog.#load(id, record);
      if (entry !== undefined) {
        if (entry.wasComplete && !record.wasComplete) foundWhole.push(entry);
        continue;
      }
      catalog.#broken.set(id, record);
      log.warn("a file's manifest is missing or damaged; share or download it again", {
        fileId: id,
        ...record,
      });
    }
    // What a broken file still has here can't be told from what nobody uses, so it is kept for its return.
    if (catalog.#broken.size === 0) await catalog.#uses.sweep();
    await catalog
      .#noteWhole(foundWhole)
      .catch((error: unknown) => log.warn("files that are complete were not kept as such", { error }));
    return catalog;
  }

  entries(): CatalogEntry[] {
    return [...this.#entries.values()];
  }

  find(id: string): CatalogEntry | undefined {
    return this.#entries.get(id);
  }

  /** @throws SharingError `file_not_found` */
  get(id: string): CatalogEntry {
    const entry = this.#entries.get(id);
    if (!entry) throw new SharingError("file_not_found", "File not found");
    return entry;
  }

  /** Every file, broken ones among them, oldest first, and those of one moment in the order of their ids, as in the next run. */
  files(): LocalFile[] {
    const broken = [...this.#broken].map(([id, record]) => brokenView(id, record));
    return [...this.entries().map((entry) => entry.view()), ...broken].sort(
      (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
    );
  }

  /** @throws SharingError `file_not_found` */
  file(id: string): LocalFile {
    const record = this.#broken.get(id);
    return record === undefined ? this.get(id).view() : brokenView(id, record);
  }

  /** Was the file complete here, and is not any more? */
  isLossy(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#broken.get(id)?.wasComplete === true;
    return entry.wasComplete && !entry.holding.isComplete;
  }

  /** Is the file on its way here, or was, and never complete? */
  isPartial(id: string): boolean {
    const entry = this.#entries.get(id);
    if (entry !== undefined) return !entry.wasComplete && !entry.holding.isComplete;
    const broken = this.#broken.get(id);
    return broken !== undefined && broken.wasComplete !== true;
  }

  /** Is nobody to be told of the file? */
  isUnlisted(id: string): boolean {
    return (this.#entries.get(id) ?? this.#broken.get(id))?.isUnlisted === true;
  }

  knows(id: string): boolean {
    return this.#entries.has(id) || this.#broken.has(id);
  }

  isBroken(id: string): boolean {
    return this.#broken.has(id);
  }

  /** Is the block part of a file here? */
  uses(cid: CID): boolean {
    return this.#uses.has(cid);
  }

  /**
   * Stores a block and counts one use of it, so that no deletion takes it away meanwhile. The caller gives the
   * use back with `release` or hands it to a file with `add`.
   */
  async store(cid: CID, bytes: Uint8Array): Promise<void> {
    await this.#uses.retain(cid);
    try {
      await this.#blocks.write(cid, bytes);
    } catch (error) {
      await this.release([cid]);
      throw error;
    }
  }

  /** Gives uses back; blocks without any are deleted, as soon as the medium bears it. */
  async release(cids: Iterable<CID>): Promise<void> {
    await this.#uses.release(cids);
  }

  /**
   * Records a file whose blocks were all stored with `store`; the uses become the file's. A download of it under way, or one with
   * losses, is whole by that.
   */
  async add(manifest: Manifest, facts: FileFacts): Promise<CatalogEntry> {
    await this.#flush(blocksOf(manifest));
    return this.#insert(manifest, Holding.complete(manifest.chunkCount), () => facts);
  }

  /**
   * Records a file that is about to be downloaded, and stores the blocks that came with its manifest. `facts`: as they
   * are then.
   */
  async addPartial(
    manifest: Manifest,
    blocks: readonly DagNode[],
    facts: () => FileFacts,
  ): Promise<CatalogEntry> {
    for (const cid of blocksOf(manifest)) await this.#uses.retain(cid);
    try {
      for (const block of blocks) await this.#blocks.write(block.cid, block.bytes);
      await this.#flush(blocks.map(({ cid }) => cid));
      return await this.#insert(manifest, await findHeld(this.#blocks, manifest), facts);
    } catch (error) {
      await this.release(blocksOf(manifest));
      throw error;
    }
  }

  /**
   * Every chunk is here and durable; from now on one that is missing counts as lost. Nothing for a file that was
   * removed meanwhile.
   */
  completed(entry: CatalogEntry): Promise<void> {
    return this.#writes.run(entry.id, () => this.#completed(entry));
  }

  /**
   * Nothing for a file that is so already, or was removed meanwhile. `change`: or what says it of the file as those before it
   * have left it.
   * @returns whether it is changed
   */
  change(entry: CatalogEntry, change: FileChange | ((now: FileState) => FileChange)): Promise<boolean> {
    return this.#writes.run(entry.id, () =>
      this.#change(entry, typeof change === "function" ? change(entry) : change),
    );
  }

  /**
   * Forgets the file at once, then deletes the blocks that no other file uses. Those of a broken file are not known: they
   * go with the next start that finds no file broken. A file whose record can't be deleted stays, but for a full disk, which
   * has room for that once the blocks are gone, or later: until then it is gone in this process alone. Once its record is gone,
   * the file is, whatever becomes of its blocks.
   * @throws SharingError `storage_full` where it is gone in this process alone
   */
  async remove(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    const broken = this.#broken.get(id);
    this.#entries.delete(id);
    this.#broken.delete(id);
    entry?.holding.notify();
    // An entry of that id by now: the bytes were shared again meanwhile, and the record is theirs.
    const isSharedAgain = () => this.#entries.has(id);
    try {
      await this.#records.delete(id);
    } catch (error) {
      const mayGiveRoom = entry !== undefined && isSharingError(error, "storage_full");
      if (!isSharedAgain() && !mayGiveRoom) {
        if (entry) this.#entries.set(id, entry);
        if (broken) this.#broken.set(id, broken);
        this.#records.stay(id);
        throw error;
      }
    }
    if (entry) await this.release(blocksOf(entry.manifest));
    // Whoever shared it again may not have got it recorded either: then it is still to be noted.
    const noted = this.#writes.run(id, () => this.#records.noteGone());
    await noted.catch((error: unknown) => {
      throw isSharingError(error, "storage_full") ? notNoted(error) : error;
    });
  }

  async #completed(entry: CatalogEntry): Promise<void> {
    if (entry.wasComplete || this.#entries.get(entry.id) !== entry) return;
    entry.wasComplete = true;
    try {
      await this.#records.put(entry.id, entry.record());
    } catch (error) {
      entry.wasComplete = false;
      throw error;
    }
  }

  async #change(entry: CatalogEntry, change: FileChange): Promise<boolean> {
    if (this.#entries.get(entry.id) !== entry) return false;
    const { name, isUnlisted } = entry;
    Object.assign(entry, change);
    if (entry.name === name && entry.isUnlisted === isUnlisted) return false;
    try {
      await this.#records.put(entry.id, entry.record());
    } catch (error) {
      Object.assign(entry, { name, isUnlisted });
      throw error;
    }
    return true;
  }

  /** Another's flush that failed may have lost some of the blocks, which this one then knows nothing of. */
  async #flush(cids: Iterable<CID>): Promise<void> {
    await this.#blocks.flush();
    for (const cid of cids)
      if (!(await this.#blocks.has(cid))) throw new Error("the medium has not kept what was written to it");
  }

  /** Of files whose last chunk came as the process ended, or the disk was full: what they lack at a later start is lost. */
  async #noteWhole(entries: CatalogEntry[]): Promise<void> {
    await Promise.all(entries.map((entry) => this.#records.put(entry.id, entry.record())));
  }

  async #load(id: string, record: FileRecord): Promise<CatalogEntry | undefined> {
    const manifest = await storedManifest(this.#blocks, parseFileId(id), record.sizeBytes);
    if (!manifest) return undefined;
    for (const cid of blocksOf(manifest)) await this.#uses.retain(cid);
    const entry = new CatalogEntry(id, manifest, await findHeld(this.#blocks, manifest), record);
    this.#entries.set(id, entry);
    return entry;
  }

  /** Takes over the uses counted for the file's blocks; gives them back when the file is here already, with what it held. */
  #insert(manifest: Manifest, holding: Holding, facts: () => FileFacts): Promise<CatalogEntry> {
    const id = manifest.root.toString();
    return this.#writes.run(id, () => this.#insertAs(id, manifest, holding, facts()));
  }

  async #insertAs(id: string, manifest: Manifest, holding: Holding, facts: FileFacts): Promise<CatalogEntry> {
    const known = this.#entries.get(id);
    if (known) {
      // At once: a file that is whole is not given up with its download.
      for (let index = 0; index < manifest.chunkCount; index++)
        if (holding.has(index)) known.holding.mark(index);
      await this.release(blocksOf(manifest));
      return known;
    }
    const broken = this.#broken.get(id);
    const isUnlisted = broken === undefined ? facts.isUnlisted : broken.isUnlisted === true;
    const entry = new CatalogEntry(id, manifest, holding, {
      name: broken?.name ?? facts.name,
      sizeBytes: manifest.sizeBytes,
      createdAt: broken?.createdAt ?? facts.createdAt.toISOString(),
      ...(broken?.wasComplete && { wasComplete: true }),
      ...(isUnlisted && { isUnlisted: true }),
    });
    this.#entries.set(id, entry);
    try {
      await this.#records.put(entry.id, entry.record());
    } catch (error) {
      this.#entries.delete(id);
      throw error;
    }
    this.#broken.delete(id);
    return entry;
  }
}

function brokenView(id: string, record: FileRecord): LocalFile {
  const { name, sizeBytes } = record;
  return {
    id,
    name,
    sizeBytes,
    chunkCount: chunkCountOf(sizeBytes),
    createdAt: new Date(record.createdAt),
    complete: false,
    isUnlisted: record.isUnlisted === true,
  };
}

function notNoted(cause: Error): SharingError {
  const message =
    "The file is gone, but the disk is too full to note it: it is back after a restart before there is room";
  return new SharingError("storage_full", message, { cause });
}

function* blocksOf(manifest: Manifest): Iterable<CID> {
  yield* manifest.nodes;
  for (let index = 0; index < manifest.chunkCount; index++) yield manifest.chunkCid(index);
}
