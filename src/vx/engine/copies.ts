/**
 * Whole copies of an index: snapshots in its folder, copies in other folders, backups, and a backup that takes its place. One
 * at a time. Made by the engine, for callers and for what runs on a schedule; calls the store.
 */
import type { EngineSettings } from "../config.ts";
import { VxError } from "../errors.ts";
import { Serial } from "../serial.ts";
import { openArchive } from "../storage/archives.ts";
import { backupName, scheduledBackupName } from "../storage/backup-name.ts";
import type { BackupResult, IndexStore } from "../storage/index-store.ts";
import type { OpenArchive } from "../storage/open-archive.ts";
import type { RecordsOptions } from "./empty-graph.ts";
import type { BackupRequest, RestoreResult } from "./engine.ts";
import { JOURNAL_SHARE } from "./limits.ts";
import { type Loaded, loadRecords } from "./loading.ts";
import type { EngineHost } from "./open-engine.ts";
import { checkRestorable } from "./restorable.ts";
import { saveCopy } from "./save-copy.ts";
import type { Writer } from "./writer.ts";

export interface CopiesParts {
  settings: EngineSettings;
  host: EngineHost;
  store: IndexStore;
  writer: Writer;
  options: RecordsOptions;
}

/** What the engine does around a restore. */
export interface RestoreSteps {
  begins(): void;
  /** The records are those of the backup. */
  replaced(): void;
  ends(): void;
}

export class Copies {
  /** Whatever writes or replaces the whole index runs in here. */
  readonly tasks = new Serial();
  lastSnapshot: Date | undefined;
  lastBackup: Date | undefined;
  readonly #parts: CopiesParts;
  /** Whether the oldest were deleted after the schedule's last one. */
  #isPruned = true;

  constructor(parts: CopiesParts) {
    this.#parts = parts;
  }

  /** Writes the index to its folder, if something changed. */
  snapshot(): Promise<void> {
    return this.tasks.run(() => this.writeSnapshot());
  }

  /** As `snapshot`, within a task. */
  async writeSnapshot(): Promise<void> {
    const { store, writer } = this.#parts;
    if (store.replayBytes === 0) return;
    await store.snapshot(() => ({ ...writer.records.source(), sequence: writer.lastApplied }));
    this.lastSnapshot = new Date();
  }

  /** A fit has written a snapshot. */
  modelStored(): void {
    if (this.#parts.settings.storagePath !== undefined) this.lastSnapshot = new Date();
  }

  /** Writes the whole index to its folder, or a copy of it to another one. */
  async save(path: string | undefined): Promise<void> {
    const { settings, host, writer } = this.#parts;
    const { storagePath, encryptionKey } = settings;
    if (path !== undefined && path !== storagePath) {
      const target = { openStorage: () => host.openStorage(path), encryptionKey };
      return this.tasks.run(() => writer.whole(() => saveCopy(writer.records, target)));
    }
    if (storagePath === undefined) {
      throw new VxError("invalid_request", "An index in memory needs a path to be saved to");
    }
    return this.snapshot();
  }

  async backup({ path, ...how }: BackupRequest): Promise<BackupResult> {
    const chosen = path ?? this.#inBackupFolder(backupName(new Date()));
    return this.tasks.run(() => this.#backup(chosen, how));
  }

  /**
   * Of what changed since the last one in its folder, if something did or that one is gone. Then the oldest are
   * deleted. Of an index that never held anything none is made: processes that start with an empty one would have it
   * take the place of what others held.
   */
  scheduledBackup(): Promise<void> {
    const { settings, host, store } = this.#parts;
    const { maxBackups } = settings;
    return this.tasks.run(async () => {
      if (this.#isBlank) return;
      const path = this.#inBackupFolder(scheduledBackupName(new Date()));
      const place = await host.locateArchive(path);
      let newest = await store.wholeBackup(place);
      if (newest === undefined) {
        await this.#backup(path, { incremental: true, maxChain: maxBackups });
        newest = place.name;
        this.#isPruned = false;
      }
      if (this.#isPruned) return;
      await store.prune({ folder: place.folder, name: newest }, maxBackups);
      this.#isPruned = true;
    });
  }

  /** The index becomes what the backup holds; where it fails, it stays what it is. */
  restore(path: string, steps: RestoreSteps): Promise<RestoreResult> {
    const { settings, host, store } = this.#parts;
    return this.tasks.run(async () => {
      const archive = await openArchive(await host.locateArchive(path), settings.encryptionKey);
      try {
        checkRestorable(archive.facts, store.facts);
        return await this.#become(archive, steps);
      } finally {
        await archive.close();
      }
    });
  }

  async #become(archive: OpenArchive, steps: RestoreSteps): Promise<RestoreResult> {
    const { settings, store, writer, options } = this.#parts;
    steps.begins();
    try {
      const former = writer.records;
      const loaded = await loadRecords(archive, options);
      const { records } = loaded;
      try {
        checkRoom(loaded, settings.maxElements);
        await writer.restart(records, () => store.replace(records.facts, () => records.source()));
      } catch (error) {
        records.close();
        throw error;
      }
      former.close();
      steps.replaced();
      return { vectorCount: records.count, timestamp: archive.createdAt };
    } finally {
      steps.ends();
    }
  }

  get #isBlank(): boolean {
    const { store, writer } = this.#parts;
    return store.lastSequence === 0 && writer.records.count === 0;
  }

  async #backup(
    path: string,
    { incremental, compress, maxChain }: Omit<BackupRequest, "path"> & { maxChain?: number },
  ): Promise<BackupResult> {
    const { settings, host, store, writer } = this.#parts;
    const place = await host.locateArchive(path);
    await place.folder.removePartials();
    if (!incremental) await this.#shortenJournal();
    const options = { incremental, compress: compress ?? settings.backupCompression, maxChain };
    const make = () => store.backup(place, options);
    const result = await (settings.storagePath === undefined ? writer.whole(make) : make());
    this.lastBackup = result.timestamp;
    return result;
  }

  /**
   * A full backup brings the journal as well, which may hold a small index many times over: a large one has a snapshot
   * by itself before it is as long. Where none can be written, the backup does without.
   */
  async #shortenJournal(): Promise<void> {
    const { store, writer } = this.#parts;
    if (store.replayBytes < writer.records.graphBytes * JOURNAL_SHARE) return;
    await this.writeSnapshot().catch(() => undefined);
  }

  #inBackupFolder(name: string): string {
    const { backupPath } = this.#parts.settings;
    if (backupPath !== undefined) return `${backupPath}/${name}`;
    throw new VxError(
      "invalid_request",
      "An index in memory without backupPath needs a path to be backed up to",
    );
  }
}

/** @throws VxError `capacity_exceeded` */
function checkRoom({ records, refused }: Loaded, maxElements: number): void {
  if (refused === 0 && (maxElements === 0 || records.count <= maxElements)) return;
  const message = `The backup holds more vectors than fit: ${records.count + refused}`;
  throw new VxError("capacity_exceeded", message);
}
