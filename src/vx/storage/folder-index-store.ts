/**
 * The store of an index in an open folder. Made by openIndexStore; calls snapshot-reader and -writer, journal, backups and
 * archive-removal.
 *
 *   snapshot       the state up to an operation. Its timeline says which segments count: a new snapshot of a new
 *                  timeline replaces everything at once
 *   journal-N      segments of the journal, for what came later
 *   last-backup    which archives are its own, and up to where the newest goes
 */
import { DimensionMismatchError, VxError } from "../errors.ts";
import { Serial } from "../serial.ts";
import { pruneArchives } from "./archive-removal.ts";
import { type Covered, makeBackup, wholeBackup } from "./backups.ts";
import { type History, randomId, sameHistory } from "./file-header.ts";
import type { ArchivePlace, IndexStorage } from "./index-storage.ts";
import type { BackupOptions, BackupResult, IndexStore } from "./index-store.ts";
import { Journal } from "./journal.ts";
import type { IndexKey } from "./key.ts";
import { forgetBackups, type KnownBackups, NONE_KNOWN } from "./known-backups.ts";
import { MIN_KEPT_JOURNAL_BYTES } from "./limits.ts";
import type { Operation } from "./operations.ts";
import { replaySegments, type Segment } from "./segments.ts";
import { loadSnapshot, type OpenSnapshot, openSnapshot } from "./snapshot-reader.ts";
import { SNAPSHOT, writeSnapshot } from "./snapshot-writer.ts";
import type { IndexFacts, IndexReceiver, SnapshotSource } from "./stored-index.ts";

export interface OpenFolder {
  storage: IndexStorage;
  key: IndexKey | undefined;
  history: History;
  segments: Segment[];
  /** The highest of any segment found. */
  generation: number;
  covered: Covered;
  known: KnownBackups;
}

export class FolderIndexStore implements IndexStore {
  readonly #folder: OpenFolder;
  /** Until it is loaded. */
  #snapshot: OpenSnapshot | undefined;
  /** Snapshots, backups and their like: one at a time. */
  readonly #tasks = new Serial();
  #journal: Journal | undefined;
  /** Bytes that were replayed or appended, and how many of them the snapshot covers. */
  #replayedBytes = 0;
  #coveredBytes = 0;
  #closed = false;

  constructor(folder: OpenFolder, snapshot: OpenSnapshot) {
    this.#folder = folder;
    this.#snapshot = snapshot;
  }

  get facts(): IndexFacts {
    return this.#folder.history.facts;
  }

  get encrypted(): boolean {
    return this.#folder.key !== undefined;
  }

  get lastSequence(): number {
    return this.#loaded().last;
  }

  get replayBytes(): number {
    return this.#replayedBytes + this.#loaded().appendedBytes - this.#coveredBytes;
  }

  get replaySegments(): number {
    return this.#loaded().segmentsAfter(this.#folder.covered.sequence);
  }

  async load(receiver: IndexReceiver): Promise<void> {
    return this.#tasks.run(async () => {
      const snapshot = this.#snapshot;
      if (snapshot === undefined) throw new VxError("conflict", "The index is loaded already");
      const { storage, key, segments, covered, history, generation } = this.#folder;
      covered.model = await loadSnapshot(snapshot, key, receiver);
      const range = { key, covered: covered.sequence };
      const replayed = await replaySegments(storage, segments, range, (operations) =>
        receiver.operations(operations),
      );
      this.#replayedBytes = replayed.sizeBytes;
      // What a process wrote and did not live to sync was found nevertheless, and what is appended goes on from it.
      const ending = segments.at(-1);
      if (ending !== undefined) await storage.sync(ending.name);
      // Of a future that is not here: the folder was copied while it was written to, or its disk has lost the journal's end.
      if ((this.#folder.known.until ?? 0) > replayed.last) {
        this.#folder.known = NONE_KNOWN;
        // Else the next opening would take what is appended until then for what those backups hold.
        await forgetBackups(storage);
      }
      this.#journal = new Journal(storage, key, { history, segments, last: replayed.last }, generation);
      await this.#closeSnapshot();
    });
  }

  async append(operations: Operation[]): Promise<number> {
    return this.#loaded().append(operations);
  }

  async snapshot(take: () => SnapshotSource & { sequence: number }): Promise<void> {
    return this.#tasks.run(async () => {
      const journal = this.#loaded();
      const { segments } = await journal.roll();
      const appendedBytes = journal.appendedBytes;
      const { sequence, ...source } = take();
      if (sequence > journal.last) throw new RangeError(`No operation ${sequence} was appended`);
      const sizeBytes = await this.#write(this.#folder.history, sequence, source);
      this.#folder.covered = { sequence, sizeBytes, model: source.reduced?.model.id };
      this.#coveredBytes = this.#replayedBytes + appendedBytes;
      await journal.drop(this.#notNeeded(segments));
    });
  }

  async replace(facts: IndexFacts, take: () => SnapshotSource): Promise<void> {
    if (facts.dimension !== this.facts.dimension) {
      throw new DimensionMismatchError(this.facts.dimension, facts.dimension);
    }
    if (facts.metric !== this.facts.metric) {
      throw new VxError(
        "invalid_request",
        `The index is of distance ${this.facts.metric}, not ${facts.metric}`,
      );
    }
    return this.#tasks.run(async () => {
      const journal = this.#loaded();
      const { history } = this.#folder;
      let isCommitting = false;
      try {
        await journal.stop("The index is being replaced");
        const replaced = { ...history, facts, timeline: randomId() };
        const source = take();
        const sizeBytes = await this.#write(replaced, 0, source, () => {
          isCommitting = true;
        });
        isCommitting = false;
        this.#coveredBytes = this.#replayedBytes + journal.appendedBytes;
        Object.assign(this.#folder, {
          history: replaced,
          covered: { sequence: 0, sizeBytes, model: source.reduced?.model.id },
          known: { ...this.#folder.known, until: undefined },
        });
        await journal.restart(replaced);
      } catch (error) {
        if (isCommitting && !(await this.#isOnMedium(history))) throw lost(journal, error);
        throw error;
      } finally {
        journal.start();
      }
    });
  }

  async backup(place: ArchivePlace, options: BackupOptions): Promise<BackupResult> {
    return this.#tasks.run(async () => {
      const { storage, key, history, covered, known } = this.#folder;
      const { last, segments } = await this.#loaded().roll();
      const index = { folder: storage, history, key, covered, last, segments, known };
      const made = await makeBackup(index, place, options);
      this.#folder.known = made.known;
      return made.result;
    });
  }

  async wholeBackup({ folder }: ArchivePlace): Promise<string | undefined> {
    return this.#tasks.run(() => {
      const { history, covered, known } = this.#folder;
      return wholeBackup({ history, covered, last: this.#loaded().last, known }, folder);
    });
  }

  async prune(newest: Omit<ArchivePlace, "path">, keep: number): Promise<void> {
    return this.#tasks.run(async () => {
      const { history, known } = this.#folder;
      const own = new Set(known.ids);
      const owner = { indexId: history.indexId, made: (id: string) => own.has(id) };
      for (const id of await pruneArchives(newest, owner, keep)) own.delete(id);
      this.#folder.known = { ...known, ids: [...own] };
    });
  }

  async close(): Promise<void> {
    return this.#tasks.run(async () => {
      if (this.#closed) return;
      this.#closed = true;
      try {
        await this.#journal?.stop("The index is closed");
        await this.#closeSnapshot();
      } finally {
        await this.#folder.storage.close();
      }
    });
  }

  async #closeSnapshot(): Promise<void> {
    await this.#snapshot?.file.close();
    this.#snapshot = undefined;
  }

  async #write(
    history: History,
    sequence: number,
    source: SnapshotSource,
    onCommit?: () => void,
  ): Promise<number> {
    try {
      const { storage, key } = this.#folder;
      const { sizeBytes } = await writeSnapshot(storage, { history, sequence }, key, source, onCommit);
      return sizeBytes;
    } finally {
      source.state.release();
    }
  }

  /** Whether the snapshot is of that history. False where the medium does not say. */
  async #isOnMedium(history: History): Promise<boolean> {
    try {
      const file = await this.#folder.storage.open(SNAPSHOT);
      if (file === undefined) return false;
      const { header } = await openSnapshot(file).finally(() => file.close());
      return sameHistory(header, history);
    } catch {
      return false;
    }
  }

  /** Segments that neither the next loading nor the next incremental backup reads. */
  #notNeeded(segments: (Segment & { until: number })[]): string[] {
    const { covered, known } = this.#folder;
    const done = segments.filter(({ until }) => until - 1 <= covered.sequence);
    const backedUp = known.until ?? Number.POSITIVE_INFINITY;
    const changed = done.filter(({ until }) => until - 1 > backedUp);
    const changedBytes = changed.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
    const kept = changedBytes <= Math.max(MIN_KEPT_JOURNAL_BYTES, covered.sizeBytes) ? changed : [];
    return done.filter((segment) => !kept.includes(segment)).map(({ name }) => name);
  }

  #loaded(): Journal {
    if (this.#closed) throw new VxError("unavailable", "The index is closed");
    if (this.#journal === undefined) throw new VxError("unavailable", "The index is not loaded yet");
    return this.#journal;
  }
}

/**
 * What is appended to a history whose snapshot is there no more, the next opening would not look at: the journal takes
 * nothing any more. Gives the error to throw.
 */
function lost(journal: Journal, cause: unknown): VxError {
  const message = "The index may have been replaced before its medium failed: open it anew";
  journal.end(message);
  return new VxError("unavailable", message, { cause });
}
