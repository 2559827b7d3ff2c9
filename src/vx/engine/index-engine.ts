/**
 * The engine: a store, the records in memory, the writer between them, copies, fits and what runs on a schedule, as one index.
 * Made by open-engine; its face is Engine. It runs in one thread, and gives others their turn wherever work is long.
 */
import type { EngineSettings } from "../config.ts";
import { VxError } from "../errors.ts";
import type { FirstRows, Narrowing } from "../metadata/metadata-index.ts";
import { Serial } from "../serial.ts";
import type { BackupResult, IndexStore } from "../storage/index-store.ts";
import type { Operation } from "../storage/operations.ts";
import { TurnClock } from "../turn-clock.ts";
import { AnswerSize } from "./answer-size.ts";
import { checkedOperations } from "./checks.ts";
import { Copies } from "./copies.ts";
import { Counters } from "./counters.ts";
import { recordsOptions } from "./empty-graph.ts";
import type {
  BackupRequest,
  Health,
  IndexDescription,
  Metrics,
  Ranking,
  RecordBatch,
  RecordPage,
  RefitResult,
  RestoreResult,
  ResultRange,
  SharingEngine,
  StoredRecord,
} from "./engine.ts";
import {
  JOURNAL_SHARE,
  MAX_REPLAY_SEGMENTS,
  MIN_CLOSING_JOURNAL_BYTES,
  SNAPSHOT_JOURNAL_BYTES,
} from "./limits.ts";
import type { SearchTimes } from "./local-search.ts";
import type { EngineHost } from "./open-engine.ts";
import type { Records } from "./records.ts";
import { Reduction } from "./reduction.ts";
import type { LastingSlots, SharedRecords } from "./shared-records.ts";
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

export class IndexEngine implements SharingEngine {
  readonly #settings: EngineSettings;
  readonly #store: IndexStore;
  readonly #writer: Writer;
  readonly #copies: Copies;
  readonly #reduction: Reduction;
  readonly #upkeep: Upkeep;
  readonly #counters = new Counters();
  readonly #arrivals = new Serial();
  /** Changes that are not admitted yet. */
  #checking = 0;

  constructor({ settings, host, store, records, refused = 0 }: EngineParts) {
    this.#settings = settings;
    this.#store = store;
    const { maxElements } = settings;
    const options = recordsOptions(settings, host.linkThreads);
    const onApplied = (operations: Operation[]) => {
      this.#upkeep.changed();
      this.#reduction.changed(operations);
    };
    const writer = new Writer({ store, records, maxElements, onApplied });
    const copies = new Copies({ settings, host, store, writer, options });
    const onEnd = (error: unknown) => this.#fitted(error);
    this.#writer = writer;
    this.#copies = copies;
    this.#reduction = new Reduction({ store, writer, options, tasks: copies.tasks, onEnd });
    this.#upkeep = new Upkeep(
      {
        snapshot: () => copies.snapshot(),
        isSnapshotDue: () =>
          store.replaySegments > MAX_REPLAY_SEGMENTS ||
          store.replayBytes >= Math.max(SNAPSHOT_JOURNAL_BYTES, this.records.graphBytes * JOURNAL_SHARE),
        backup: settings.backupPath === undefined ? undefined : () => copies.scheduledBackup(),
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

  /** Number of the last operation that the records hold with all before it. */
  get lastApplied(): number {
    return this.#writer.lastApplied;
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
    const { length } = await this.#inOrder(() => checkedOperations(batch, dimension, metric));
    this.#counters.added(length, startMs);
  }

  async delete(id: bigint): Promise<boolean> {
    if (!this.records.has(id) && this.#writer.isIdle && this.#checking === 0) return false;
    const [existed = false] = await this.#inOrder(async () => [{ kind: "delete", id }]);
    if (existed) this.#counters.deleted();
    return existed;
  }

  async get(id: bigint): Promise<StoredRecord | undefined> {
    return this.records.get(id);
  }

  async list(offset: number, limit: number): Promise<RecordPage> {
    return this.#writer.whole(() => {
      const all = this.records.ids();
      const ids = all.slice(offset, offset + limit);
      const size = new AnswerSize();
      const metadata = Array.from(ids, (id) => size.counted(this.records.textOf(id)));
      return { total: all.length, ids, metadata };
    });
  }

  async search(query: Float32Array, range: ResultRange, narrowing?: Narrowing): Promise<Ranking> {
    const startMs = performance.now();
    const ranking = await this.records.search(query, range, narrowing);
    if (narrowing !== undefined) this.#upkeep.filtered();
    this.#counters.searched(startMs);
    return ranking;
  }

  async searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    range: ResultRange,
  ): Promise<Ranking> {
    const startMs = performance.now();
    await this.records.reduced?.prepare([positive, ...negatives]);
    const ranking = this.records.searchNegatives(positive, negatives, range);
    this.#counters.searched(startMs);
    return ranking;
  }

  async searchMany(queries: Float32Array[], k: number): Promise<Ranking[]> {
    const clock = new TurnClock();
    const size = new AnswerSize();
    const rankings: Ranking[] = [];
    for (const query of queries) {
      const ranking = await this.search(query, { k, page: 1 });
      for (const text of ranking.metadata) size.counted(text);
      rankings.push(ranking);
      if (clock.isOver) await clock.next();
    }
    return rankings;
  }

  async queryMetadata(sql: string): Promise<FirstRows> {
    await this.records.writeRows();
    return this.#writer.whole(() => this.records.query(sql));
  }

  async reduce(vectors: Float32Array[]): Promise<Float32Array[]> {
    return this.#reduction.reduce(vectors);
  }

  async refit(): Promise<RefitResult> {
    await this.#reduction.refit();
    return { vectorCount: this.records.count, reducedDimension: this.#reduction.model?.target ?? 0 };
  }

  async save(path: string | undefined): Promise<void> {
    await this.#copies.save(path);
    if (path === undefined || path === this.#settings.storagePath) this.#upkeep.succeeded("snapshot");
  }

  async backup(request: BackupRequest): Promise<BackupResult> {
    return this.#copies.backup(request);
  }

  async restore(path: string): Promise<RestoreResult> {
    return this.#copies.restore(path, {
      begins: () => this.#reduction.pause("the index is restored"),
      replaced: () => this.#upkeep.succeeded("fit"),
      ends: () => this.#reduction.resume(),
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
      lastSnapshot: this.#copies.lastSnapshot,
      lastBackup: this.#copies.lastBackup,
      failures,
    };
  }

  async metrics(elsewhere?: SearchTimes): Promise<Metrics> {
    this.#counters.searchedElsewhere(elsewhere);
    return {
      ...this.#counters.metrics,
      vector_count: this.records.count,
      memory_usage_mb: Math.round(this.records.memoryBytes / 1e4) / 100,
      dimension: this.#store.facts.dimension,
      journal_bytes: this.#store.replayBytes,
      reduced_dimension: this.#reduction.model?.target ?? 0,
      fit_progress: this.#reduction.progress,
      fits_total: this.#reduction.fits,
    };
  }

  async share(): Promise<SharedRecords | undefined> {
    // A change that is being applied did not close the gate that this opens.
    return this.#writer.between(() => this.records.share());
  }

  async slotsOf(narrowing: Narrowing): Promise<LastingSlots | undefined> {
    return this.records.slotsOf(narrowing);
  }

  async close(): Promise<void> {
    await this.#arrivals.run(async () => undefined);
    await this.#upkeep.close();
    this.#writer.breakOff();
    await this.#reduction.close();
    await this.#copies.tasks.run(async () => {
      await this.#writer.close();
      try {
        if (this.#store.replayBytes >= MIN_CLOSING_JOURNAL_BYTES) await this.#copies.writeSnapshot();
      } finally {
        this.records.close();
        await this.#store.close();
      }
    });
  }

  /** Changes are made in the order of their calls, however long each takes to be checked. */
  async #inOrder(operations: () => Promise<Operation[]>): Promise<boolean[]> {
    this.#checking += 1;
    const admitted = this.#arrivals.run(async () => {
      try {
        return { written: this.#writer.write(await operations()) };
      } finally {
        this.#checking -= 1;
      }
    });
    return (await admitted).written;
  }

  #fitted(error: unknown): void {
    if (error !== undefined) {
      this.#upkeep.failed("fit", error);
      return;
    }
    this.#upkeep.succeeded("fit");
    this.#copies.modelStored();
  }
}
