/**
 * The files held here, whole or in part: their records, manifests and held chunks, and who else needs a block.
 * A block is kept while some file here uses it; the counts are rebuilt from the manifests at start, so no crash
 * can leave them wrong, and blocks that no file uses are swept then.
 */
import type { CID } from "multiformats/cid";
import { collectBytes } from "./collect-bytes.ts";
import { Demand } from "./demand.ts";
import { isSharingError, SharingError } from "./errors.ts";
import { parseFileId } from "./file-id.ts";
import { DAG_PB } from "./hash.ts";
import { Holding } from "./holding.ts";
import { type DagNode, type Manifest, readManifest, singleChunkManifest } from "./manifest.ts";
import type { BlockStore, Log, Records } from "./ports.ts";

export interface LocalFile {
  id: string;
  name: string;
  sizeBytes: number;
  chunkCount: number;
  createdAt: Date;
  complete: boolean;
}

interface FileRecord {
  name: string;
  sizeBytes: number;
  createdAt: string;
}

/** A file with all that is known of it. */
export class CatalogEntry {
  readonly id: string;
  readonly manifest: Manifest;
  readonly holding: Holding;
  /** Who waits for chunks that are not here yet. */
  readonly demand = new Demand();
  readonly createdAt: Date;
  name: string;

  constructor(id: string, manifest: Manifest, holding: Holding, record: FileRecord) {
    this.id = id;
    this.manifest = manifest;
    this.holding = holding;
    this.name = record.name;
    this.createdAt = new Date(record.createdAt);
  }

  view(): LocalFile {
    return {
      id: this.id,
      name: this.name,
      sizeBytes: this.manifest.sizeBytes,
      chunkCount: this.manifest.chunkCount,
      createdAt: this.createdAt,
      complete: this.holding.isComplete,
    };
  }
}

export class Catalog {
  readonly #blocks: BlockStore;
  readonly #records: Records;
  readonly #entries = new Map<string, CatalogEntry>();
  readonly #uses = new Map<string, number>();
  /** Deletions under way; whoever wants the block again waits for its deletion to end. */
  readonly #deletions = new Map<string, Promise<void>>();

  private constructor(blocks: BlockStore, records: Records) {
    this.#blocks = blocks;
    this.#records = records;
  }

  /** Loads every file, finds out which chunks are there, and removes blocks that no file uses. */
  static async open(blocks: BlockStore, records: Records, log: Log): Promise<Catalog> {
    const catalog = new Catalog(blocks, records);
    let damaged = 0;
    for await (const [id, record] of records.entries<FileRecord>("files")) {
      if (await catalog.#load(id, record)) continue;
      damaged += 1;
      log.warn("a file's manifest is missing or damaged; share or download it again", {
        fileId: id,
        ...record,
      });
    }
    // What a damaged file still has here can't be told from what nobody uses, so it is kept for its return.
    if (damaged === 0) await catalog.#sweep();
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

  /** Is the block part of a file here? */
  uses(cid: CID): boolean {
    return this.#uses.has(blockKey(cid));
  }

  /**
   * Stores a block and counts one use of it, so that no deletion takes it away meanwhile. The caller gives the
   * use back with `release` or hands it to a file with `add`.
   */
  async store(cid: CID, bytes: Uint8Array): Promise<void> {
    await this.#retain(cid);
    try {
      await this.#blocks.write(cid, bytes);
    } catch (error) {
      await this.release([cid]);
      throw error;
    }
  }

  /** Records a file whose blocks were all stored with `store`; the uses become the file's. */
  async add(manifest: Manifest, facts: { name: string; createdAt: Date }): Promise<CatalogEntry> {
    await this.#blocks.flush();
    return this.#insert(manifest, Holding.complete(manifest.chunkCount), facts);
  }

  /** Records a file that is about to be downloaded, and stores the blocks that came with its manifest. */
  async addPartial(
    manifest: Manifest,
    blocks: readonly DagNode[],
    facts: { name: string; createdAt: Date },
  ): Promise<CatalogEntry> {
    for (const cid of blocksOf(manifest)) await this.#retain(cid);
    try {
      for (const block of blocks) await this.#blocks.write(block.cid, block.bytes);
      await this.#blocks.flush();
      return await this.#insert(manifest, await this.#findHeld(manifest), facts);
    } catch (error) {
      await this.release(blocksOf(manifest));
      throw error;
    }
  }

  async rename(entry: CatalogEntry, name: string): Promise<void> {
    await this.#records.put(
      "files",
      entry.id,
      recordOf(entry.manifest, { name, createdAt: entry.createdAt }),
    );
    entry.name = name;
  }

  /** Forgets the file at once, then deletes the blocks that no other file uses. */
  async remove(entry: CatalogEntry): Promise<void> {
    this.#entries.delete(entry.id);
    entry.holding.notify();
    await this.#records.delete("files", entry.id);
    await this.release(blocksOf(entry.manifest));
  }

  /** Gives uses back; blocks without any are deleted. */
  async release(cids: Iterable<CID>): Promise<void> {
    for (const cid of cids) {
      const key = blockKey(cid);
      const uses = (this.#uses.get(key) ?? 0) - 1;
      if (uses > 0) this.#uses.set(key, uses);
      else {
        this.#uses.delete(key);
        await this.#delete(key, cid);
      }
    }
  }

  async #sweep(): Promise<void> {
    for await (const cid of this.#blocks.list()) {
      if (!this.uses(cid)) await this.#blocks.delete(cid);
    }
  }

  async #load(id: string, record: FileRecord): Promise<boolean> {
    const manifest = await this.#manifestOf(parseFileId(id), record);
    if (!manifest) return false;
    for (const cid of blocksOf(manifest)) await this.#retain(cid);
    this.#entries.set(id, new CatalogEntry(id, manifest, await this.#findHeld(manifest), record));
    return true;
  }

  /** Undefined when an inner node was lost: without it nothing of the file can be named. */
  async #manifestOf(root: CID, record: FileRecord): Promise<Manifest | undefined> {
    if (root.code !== DAG_PB) return singleChunkManifest(root, record.sizeBytes);
    try {
      return (await readManifest(root, (cid) => collectBytes(this.#blocks.get(cid)))).manifest;
    } catch (error) {
      if (isSharingError(error, "bad_manifest") || isMissing(error)) return undefined;
      throw error;
    }
  }

  async #findHeld(manifest: Manifest): Promise<Holding> {
    const holding = new Holding(manifest.chunkCount);
    for (let index = 0; index < manifest.chunkCount; index++) {
      if (await this.#blocks.has(manifest.chunkCid(index))) holding.mark(index);
    }
    return holding;
  }

  /** Takes over the uses counted for the file's blocks; gives them back when the file is here already. */
  async #insert(
    manifest: Manifest,
    holding: Holding,
    facts: { name: string; createdAt: Date },
  ): Promise<CatalogEntry> {
    const id = manifest.root.toString();
    const known = this.#entries.get(id);
    if (known) {
      await this.release(blocksOf(manifest));
      return known;
    }
    const record = recordOf(manifest, facts);
    const entry = new CatalogEntry(id, manifest, holding, record);
    this.#entries.set(id, entry);
    try {
      await this.#records.put("files", id, record);
    } catch (error) {
      this.#entries.delete(id);
      throw error;
    }
    return entry;
  }

  async #retain(cid: CID): Promise<void> {
    const key = blockKey(cid);
    this.#uses.set(key, (this.#uses.get(key) ?? 0) + 1);
    await this.#deletions.get(key);
  }

  async #delete(key: string, cid: CID): Promise<void> {
    const deletion = Promise.resolve(this.#blocks.delete(cid)).finally(() => this.#deletions.delete(key));
    this.#deletions.set(key, deletion);
    await deletion;
  }
}

function recordOf(manifest: Manifest, facts: { name: string; createdAt: Date }): FileRecord {
  return { name: facts.name, sizeBytes: manifest.sizeBytes, createdAt: facts.createdAt.toISOString() };
}

function* blocksOf(manifest: Manifest): Iterable<CID> {
  yield* manifest.nodes;
  for (let index = 0; index < manifest.chunkCount; index++) yield manifest.chunkCid(index);
}

/** By the convention of interface-store. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && error.name === "NotFoundError";
}

/** A short map key: codec and the digest's 32 bytes as characters. */
function blockKey(cid: CID): string {
  return String.fromCharCode(cid.code, ...cid.multihash.digest);
}
