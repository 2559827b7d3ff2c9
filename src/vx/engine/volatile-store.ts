/**
 * The store of an index in memory: it keeps nothing. Made by the engine for `:memory:`. A backup goes through an index store
 * in memory, which is emptied again afterwards. To a schedule all that fit each other and back up into one folder are one
 * index, for those of earlier processes would otherwise be deleted by nobody.
 */
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { pruneArchives } from "../storage/archive-removal.ts";
import { ID_BYTES } from "../storage/file-header.ts";
import type { ArchivePlace } from "../storage/index-storage.ts";
import type { BackupOptions, BackupResult, IndexStore } from "../storage/index-store.ts";
import { openMemoryIndexStorage } from "../storage/memory-index-storage.ts";
import { openIndexStore } from "../storage/open-index-store.ts";
import type { Operation } from "../storage/operations.ts";
import { reductionMark } from "../storage/reduction-facts.ts";
import { type IndexFacts, noReceiver, type SnapshotSource } from "../storage/stored-index.ts";

/** What is in memory; nothing may change in it while a backup is made. */
interface HeldIndex {
  /** Number of the last operation that the records hold with all before it. */
  lastApplied: number;
  records: { source(): SnapshotSource };
}

export class VolatileStore implements IndexStore {
  readonly replayBytes = 0;
  readonly replaySegments = 0;
  readonly #key: string | undefined;
  readonly #held: () => HeldIndex;
  #facts: IndexFacts;
  #last = 0;
  #copy: Promise<IndexStore> | undefined;
  /** The newest backup, and up to which operation it goes. */
  #newest: { place: ArchivePlace; last: number } | undefined;

  constructor(facts: IndexFacts, encryptionKey: string | undefined, held: () => HeldIndex) {
    this.#facts = facts;
    this.#key = encryptionKey;
    this.#held = held;
  }

  get facts(): IndexFacts {
    return this.#facts;
  }

  get encrypted(): boolean {
    return this.#key !== undefined;
  }

  get lastSequence(): number {
    return this.#last;
  }

  async load(): Promise<void> {}

  async append(operations: Operation[]): Promise<number> {
    this.#last += operations.length;
    return this.#last;
  }

  /** Called by fits alone: the next backup brings another model. */
  async snapshot(): Promise<void> {
    this.#newest = undefined;
  }

  async replace(facts: IndexFacts): Promise<void> {
    this.#facts = facts;
    this.#newest = undefined;
    this.#last = 0;
  }

  async backup(place: ArchivePlace, options: BackupOptions): Promise<BackupResult> {
    this.#copy ??= this.#openCopy();
    const copy = await this.#copy;
    const facts = this.#facts;
    const { lastApplied: last, records } = this.#held();
    await copy.replace(facts, () => records.source());
    try {
      const made = await copy.backup(place, options);
      this.#newest = { place, last };
      return made;
    } finally {
      await copy.replace(facts, () => ({ state: new HnswGraph(facts).exportState(), metadata: [] }));
    }
  }

  async wholeBackup(place: ArchivePlace): Promise<string | undefined> {
    const newest = this.#newest;
    if (newest === undefined || folderPathOf(newest.place) !== folderPathOf(place)) return undefined;
    // Changes that were stored while it was made are not in it.
    if (newest.last !== this.#held().lastApplied) return undefined;
    return (await place.folder.list()).find((name) => name === newest.place.name);
  }

  async prune(newest: Omit<ArchivePlace, "path">, keep: number): Promise<void> {
    const owner = { indexId: await idInMemory(this.#facts), made: () => true };
    await pruneArchives(newest, owner, keep);
  }

  async close(): Promise<void> {
    await (await this.#copy)?.close();
  }

  async #openCopy(): Promise<IndexStore> {
    const indexId = await idInMemory(this.#facts);
    const options = { create: this.#facts, indexId, encryptionKey: this.#key };
    const copy = await openIndexStore(await openMemoryIndexStorage(), options);
    await copy.load(noReceiver);
    return copy;
  }
}

function folderPathOf({ path, name }: ArchivePlace): string {
  return path.slice(0, -name.length);
}

/** The same of all of one dimension, distance and reduction. */
async function idInMemory({ dimension, metric, reduction }: IndexFacts): Promise<Uint8Array<ArrayBuffer>> {
  const text = JSON.stringify(["in memory", dimension, metric, reductionMark(reduction)]);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest, 0, ID_BYTES);
}
