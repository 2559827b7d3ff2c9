/**
 * An index on its medium, as the engine sees it: loaded once, then appended to, with snapshots and backups now and
 * then. Made by openIndexStore. It knows no graph: states and operations go through it as bytes.
 *
 *   openIndexStore ─ load ─┬─ append, append, ...            each durable before it settles
 *                          ├─ snapshot, backup, replace      one at a time, while appends go on
 *                          └─ close
 *
 * A restore is: openArchive(place) ─ load into a new graph ─ store.replace(that graph). Until `replace` has
 * settled the index on the medium is the old one, whatever fails.
 */
import type { ArchivePlace } from "./index-storage.ts";
import type { Operation } from "./operations.ts";
import type { SnapshotSource, StoredIndex } from "./stored-index.ts";

export interface IndexStore extends StoredIndex {
  /** Number of the last operation that is durable; the first of an index is 1. Known once loaded. */
  readonly lastSequence: number;
  /** Bytes that the next loading has to replay: a reason for a snapshot before its time. */
  readonly replayBytes: number;
  /** Segments of the journal that these are in, of which each session that appends begins one: another reason. */
  readonly replaySegments: number;

  /**
   * Appends to the journal, all or nothing, and settles when the operations are durable, with the number of the
   * last one. Calls at once share a sync. Settles in the order of the calls, which is the order to apply them
   * in. Check what the graph may refuse before: what is appended is applied again by every loading. The
   * operations' vectors must stay as they are until then.
   * @throws DimensionMismatchError, VxError `invalid_id`, `invalid_request` (more than a frame holds),
   * `storage_full`, `unavailable` (too many wait, or the index is being replaced or closed). Nothing of a refused
   * call comes back at a later loading.
   */
  append(operations: Operation[]): Promise<number>;

  /**
   * Writes a snapshot, so that the next loading begins there, and drops journal that it covers. `take` is called
   * when it is the snapshot's turn, without a pause: it gives the state and the number of the last operation that is
   * in it. Searches and appends go on. After a failure the former snapshot is in force.
   * @throws VxError `storage_full`, `unavailable`
   */
  snapshot(take: () => SnapshotSource & { sequence: number }): Promise<void>;

  /**
   * Makes the state given the index, in place of all that was stored: a new history, whose lastSequence is 0. Appends
   * are refused meanwhile. After a failure the index is as it was.
   * @throws VxError `storage_full`, `unavailable`, `invalid_request` (other dimension or metric)
   */
  replace(facts: StoredIndex["facts"], take: () => SnapshotSource): Promise<void>;

  /**
   * Writes an archive of all that is durable at its beginning. Needs nothing of the graph.
   * @throws VxError `conflict` (a file of that name), `capacity_exceeded` (more than an archive holds), `storage_full`,
   * `unavailable`
   */
  backup(place: ArchivePlace, options: BackupOptions): Promise<BackupResult>;

  /**
   * Name of the newest archive that this index has made in the place's folder, if it brings back all that the index
   * holds now.
   */
  wholeBackup(place: ArchivePlace): Promise<string | undefined>;

  /**
   * Deletes archives of this index that a schedule made, in the folder of its newest one: all but that and others up to
   * `keep`, and what is needed to restore any archive there. @throws VxError `unavailable` (something cannot be read:
   * what it may need stays)
   */
  prune(newest: Omit<ArchivePlace, "path">, keep: number): Promise<void>;

  /** Waits for what is under way; appends that still wait are made durable. */
  close(): Promise<void>;
}

export interface BackupOptions {
  /**
   * Only what changed since the newest archive of this index in the same folder. Where there is none, or what
   * changed since it is no longer kept, the backup is full.
   */
  incremental: boolean;
  /** Deflate. Encrypted bytes do not get smaller by it. */
  compress: boolean;
  /** Archives that a chain may have with this one, MAX_CHAIN at most; where it would have more, the backup is full. */
  maxChain?: number | undefined;
}

export interface BackupResult {
  /** What restore takes. */
  path: string;
  sizeBytes: number;
  timestamp: Date;
  /** False for a full one, also where an incremental one was asked for and there was nothing to go on from. */
  incremental: boolean;
}
