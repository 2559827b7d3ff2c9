/**
 * The engine: a store, the records in memory, the writer between them and what runs on a schedule, as one index. Made by
 * open-engine; its face is Engine. It runs in one thread, and gives others their turn wherever work is long.
 */
import type { EngineSettings } from "../config.ts";
import { VxError } from "../errors.ts";
import type { Row } from "../metadata/metadata-index.ts";
import { openArchive } from "../storage/archives.ts";
import type { IndexStore } from "../storage/index-store.ts";
import type { Operation } from "../storage/operations.ts";
import { Serial } from "../storage/turns.ts";
import { backupName } from "./backup-name.ts";
import { checkBatch } from "./checks.ts";
import type {
  BackupRequest,
  BackupResult,
  Engine,
  Health,
  IndexDescription,
  Metrics,
  Narrowing,
  Ranking,
  RecordBatch,
  RecordPage,
  RefitResult,
  RestoreResult,
  ResultRange,
  StoredRecord,
} from "./engine.ts";
import { Latencies } from "./latencies.ts";
import { MIN_CLOSING_JOURNAL_BYTES, SNAPSHOT_JOURNAL_BYTES } from "./limits.ts";
import { loadRecords } from "./loading.ts";
import type { EngineHost } from "./open-engine.ts";
import { pageOf } from "./ranking.ts";
import type { Records, RecordsOptions } from "./records.ts";
import { Reduction } from "./reduction.ts";
import { checkRestorable } from "./restorable.ts";
import { saveCopy } from "./save-copy.ts";
import { TurnClock } from "./turn-clock.ts";
import { Upkeep } from "./upkeep.ts";
import { Writer } from "./writer.ts";

export interface EngineParts {
  settings: EngineSettings;
  host: EngineHost;
  store: IndexStore;
  records: Records;
  /** Records of the store that memory had no place for. */
  refused?: number;
}

export class IndexEngine implements Engine {
  readonly #settings: EngineSettings;
  readonly #host: EngineHost;
  readonly #store: IndexStore;
  readonly #writer: Writer;
  readonly #upkeep: Upkeep;
  readonly #reduction: Reduction;
  readonly #recordsOptions: RecordsOptions;
  /** Restores, saves and backups: one at a time. */
  readonly #tasks = new Serial();
  readonly #searches = new Latencies();
  readonly #adds = new Latencies();
  readonly #startMs = performance.now();
  #addedVectors = 0;
  #deletedVectors = 0;
  #lastSnapshot: Date | undefined;
  #lastBackup: Date | undefined;
  /** Number of the last operation in the newest backup of this engine. */
  #backedUp: number | undefined;

  constructor({ settings, host, store, records, refused = 0 }: EngineParts) {
    this.#settings = settings;
    this.#host = host;
    this.#store = store;
    const { maxElements, hnswEfSearch, batchSize } = settings;
    this.#recordsOptions = { efSearch: hnswEfSearch, batchSize, threads: host.linkThreads };
    const onApplied = (operations: Operation[]) => {
      this.#upkeep.changed();
      this.#reduction.changed(operations);
    };
    this.#writer = new Writer({ store, records, maxElements, onApplied });
    this.#reduction = new Reduction({
      ...{ store, writer: this.#writer, tasks: this.#tasks, options: this.#recordsOptions },
      onEnd: (error) => this.#fitted(error),
    });
    this.#upkeep = new Upkeep(
      {
        snapshot: () => this.#tasks.run(() => this.#snapshot()),
        isSnapshotDue: () =>
          store.replayBytes >= Math.max(SNAPSHOT_JOURNAL_BYTES, this.records.graphBytes / 2),
        backup: settings.backupPath === undefined ? undefined : () => this.#scheduledBackup(),
        tend: () => this.records.tend(),
      },
      settings,
    );
    if (refused > 0) {
      const message = `${refused} stored records were left out: memory has no place for them`;
      this.#upkeep.failed("write", new VxError("capacity_exceeded", message));
    }
    this.#reduction.changed();
  }

  get records(): Records {
    return this.#writer.records;
  }

  async describe(): Promise<IndexDescription> {
    const { dimension, metric, m, efConstruction, reduction } = this.#store.facts;
    return {
      dimension,
      distance: metric,
      hnswM: m,
      hnswEfConstruct: efConstruction,
      encrypted: this.#store.encrypted,
      reduction,
      backupPath: this.#settings.backupPath,
    };
  }

  async add(batch: RecordBatch): Promise<void> {
    if (batch.ids.length === 0) return;
    const startMs = performance.now();
    const { dimension, metric } = this.#store.facts;
    await checkBatch(batch, dimension, metric);
    const operations: Operation[] = Array.from(batch.ids, (id, i) => {
      const vector = batch.vectors.subarray(i * dimension, (i + 1) * dimension);
      return { kind: "add", id, vector, metadata: batch.metadata?.[i] };
    });
    await this.#writer.write(operations);
    this.#addedVectors += operations.length;
    this.#adds.add(performance.now() - startMs);
  }

  async delete(id: bigint): Promise<boolean> {
    if (!this.records.has(id) && this.#writer.isIdle) return false;
    const [existed = false] = await this.#writer.write([{ kind: "delete", id }]);
    if (existed) this.#deletedVectors++;
    return existed;
  }

  async get(id: bigint): Promise<StoredRecord | undefined> {
    return this.records.get(id);
  }

  async list(offset: number, limit: number): Promise<RecordPage> {
    return this.#writer.between(() => {
      const all = this.records.ids();
      const ids = all.slice(offset, offset + limit);
      return { total: all.length, ids, metadata: Array.from(ids, (id) => this.records.textOf(id)) };
    });
  }

  async search(query: Float32Array, range: ResultRange, narrowing?: Narrowing): Promise<Ranking> {
    const startMs = performance.now();
    const { records } = this;
    const found = records.search(query, range.k, narrowing);
    const ranking = pageOf(found, range, (id) => records.textOf(id));
    if (narrowing !== undefined) this.#upkeep.filtered();
    this.#searches.add(performance.now() - startMs);
    return ranking;
  }

  async searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    range: ResultRange,
  ): Promise<Ranking> {
    const startMs = performance.now();
    await this.records.reduced?.prepare([positive, ...negatives]);
    const { records } = this;
    const found = records.searchNegatives(positive, negatives, range.k);
    const ranking = pageOf(found, range, (id) => records.textOf(id));
    this.#searches.add(performance.now() - startMs);
    return ranking;
  }

  async searchMany(queries: Float32Array[], k: number): Promise<Ranking[]> {
    const clock = new TurnClock();
    const rankings: Ranking[] = [];
    for (const query of queries) {
      rankings.push(await this.search(query, { k, page: 1 }));
      if (clock.isOver) await clock.next();
    }
    return rankings;
  }

  async queryMetadata(sql: string): Promise<Row[]> {
    return this.#writer.between(() => this.records.query(sql));
  }

  async reduce(vectors: Float32Array[]): Promise<Float32Array[]> {
    return this.#reduction.reduce(vectors);
  }

  async refit(): Promise<RefitResult> {
    await this.#reduction.refit();
    return { vectorCount: this.records.count, reducedDimension: this.#reduction.model?.target ?? 0 };
  }

  async save(path: string | undefined): Promise<void> {
    if (path !== undefined && path !== this.#settings.storagePath) {
      const { encryptionKey } = this.#settings;
      const target = { openStorage: () => this.#host.openStorage(path), encryptionKey };
      return this.#tasks.run(() => this.#writer.between(() => saveCopy(this.records, target)));
    }
    if (this.#settings.storagePath === undefined) {
      throw new VxError("invalid_request", "An index in memory needs a path to be saved to");
    }
    return this.#tasks.run(() => this.#snapshot());
  }

  async backup({ path, incremental, compress }: BackupRequest): Promise<BackupResult> {
    const chosen = path ?? this.#newBackupPath();
    return this.#tasks.run(() => this.#backup(chosen, { incremental, compress }));
  }

  async restore(path: string): Promise<RestoreResult> {
    return this.#tasks.run(async () => {
      const archive = await openArchive(await this.#host.locateArchive(path), this.#settings.encryptionKey);
      this.#reduction.pause("the index is restored");
      try {
        checkRestorable(archive.facts, this.#store.facts);
        const { maxElements } = this.#settings;
        const former = this.records;
        const { records, refused } = await loadRecords(archive, this.#recordsOptions);
        if (refused > 0 || (maxElements > 0 && records.count > maxElements)) {
          throw new VxError(
            "capacity_exceeded",
            `The backup holds more vectors than fit: ${records.count + refused}`,
          );
        }
        await this.#writer.restart(records, () => this.#store.replace(records.facts, () => records.source()));
        former.close();
        this.#backedUp = undefined;
        this.#upkeep.succeeded("fit");
        return { vectorCount: records.count, timestamp: archive.createdAt };
      } finally {
        this.#reduction.resume();
        await archive.close();
      }
    });
  }

  async health(): Promise<Health> {
    const { failure } = this.#writer;
    if (failure !== undefined) this.#upkeep.failed("write", failure);
    const { failures } = this.#upkeep;
    return {
      status: failures.length === 0 ? "ok" : "degraded",
      vectorCount: this.records.count,
      dimension: this.#store.facts.dimension,
      distance: this.#store.facts.metric,
      lastSnapshot: this.#lastSnapshot,
      lastBackup: this.#lastBackup,
      failures,
    };
  }

  async metrics(): Promise<Metrics> {
    return {
      vector_count: this.records.count,
      memory_usage_mb: Math.round((this.records.memoryBytes / 2 ** 20) * 100) / 100,
      uptime_seconds: Math.floor((performance.now() - this.#startMs) / 1000),
      search_latency_ms: this.#searches.medianMs,
      add_latency_ms: this.#adds.medianMs,
      dimension: this.#store.facts.dimension,
      searches_total: this.#searches.count,
      vectors_added_total: this.#addedVectors,
      vectors_deleted_total: this.#deletedVectors,
      journal_bytes: this.#store.replayBytes,
      reduced_dimension: this.#reduction.model?.target ?? 0,
      fit_progress: this.#reduction.progress,
      fits_total: this.#reduction.fits,
    };
  }

  async close(): Promise<void> {
    await this.#upkeep.close();
    this.#writer.breakOff();
    await this.#reduction.close();
    await this.#tasks.run(async () => {
      await this.#writer.close();
      try {
        if (this.#store.replayBytes >= MIN_CLOSING_JOURNAL_BYTES) await this.#snapshot();
      } finally {
        this.records.close();
        await this.#store.close();
      }
    });
  }

  #fitted(error: unknown): void {
    if (error !== undefined) {
      this.#upkeep.failed("fit", error);
      return;
    }
    this.#upkeep.succeeded("fit");
    // The next one brings the model.
    this.#backedUp = undefined;
    if (this.#settings.storagePath !== undefined) this.#lastSnapshot = new Date();
  }

  async #snapshot(): Promise<void> {
    if (this.#store.replayBytes === 0) return;
    await this.#store.snapshot(() => ({ ...this.records.source(), sequence: this.#writer.lastApplied }));
    this.#lastSnapshot = new Date();
  }

  async #scheduledBackup(): Promise<void> {
    const { maxBackups } = this.#settings;
    if (this.#backedUp === this.#store.lastSequence) return;
    const path = this.#newBackupPath();
    await this.#tasks.run(() => this.#backup(path, { incremental: true, keep: maxBackups }));
  }

  async #backup(
    path: string,
    { incremental, compress, keep }: { incremental: boolean; compress?: boolean | undefined; keep?: number },
  ): Promise<BackupResult> {
    const place = await this.#host.locateArchive(path);
    const options = { incremental, compress: compress ?? this.#settings.backupCompression, keep };
    const { lastSequence } = this.#store;
    const make = () => this.#store.backup(place, options);
    const result = await (this.#settings.storagePath === undefined ? this.#writer.between(make) : make());
    this.#backedUp = lastSequence;
    this.#lastBackup = result.timestamp;
    return result;
  }

  #newBackupPath(): string {
    const { backupPath } = this.#settings;
    if (backupPath !== undefined) return `${backupPath}/${backupName(new Date())}`;
    throw new VxError(
      "invalid_request",
      "An index in memory without backupPath needs a path to be backed up to",
    );
  }
}
