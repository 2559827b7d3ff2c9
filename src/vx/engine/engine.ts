/**
 * The index as its thread sees it, in data that crosses threads as it is. Called by Vx; implemented by IndexEngine,
 * and by RemoteEngine for an IndexEngine in a worker. What comes in has the right shape and types (arguments.ts checks
 * them); the engine checks what the numbers and texts say.
 */
import type { Metric } from "../hnsw/graph.ts";
import type { FirstRows, Narrowing } from "../metadata/metadata-index.ts";
import type { BackupResult } from "../storage/index-store.ts";
import type { ReductionFacts } from "../storage/reduction-facts.ts";
import type { EncodedTexts } from "./encoded-texts.ts";
import type { SearchTimes } from "./local-search.ts";
import type { LastingSlots, SharedRecords } from "./shared-records.ts";

/** Records to add. All arrays are the engine's from then on, but for vectors that are a view. */
export interface RecordBatch {
  ids: BigUint64Array;
  /** Row-major [count, dimension]. */
  vectors: Float32Array;
  /** The vectors lie in memory of the caller: to be read, and not to be transferred. */
  isView?: boolean | undefined;
  /** JSON text by record; left out where no record has any. */
  metadata?: EncodedTexts | undefined;
}

/** Which of a ranking is wanted: the nearest k, of those one page. Pages are numbered from 1. */
export interface ResultRange {
  k: number;
  page: number;
  /** By default all. */
  pageSize?: number | undefined;
}

/** Results, nearest (or of highest score) first. */
export interface Ranking {
  ids: BigUint64Array;
  distances: Float32Array;
  /** Of searches with negatives. */
  scores?: Float32Array | undefined;
  /** JSON text by result. */
  metadata: (string | undefined)[];
}

export interface StoredRecord {
  vector: Float32Array;
  metadata: string | undefined;
}

/** A page of all records, in an order that changes to the index may change. */
export interface RecordPage {
  total: number;
  ids: BigUint64Array;
  metadata: (string | undefined)[];
}

/** What the index is: fixed while it is open, but for links and candidates, which a restored backup has of its own. */
export interface IndexDescription {
  dimension: number;
  distance: Metric;
  hnswM: number;
  hnswEfConstruct: number;
  encrypted: boolean;
  /** How vectors are reduced; undefined where they are searched as they are. */
  reduction: ReductionFacts | undefined;
  /** Folder of scheduled backups. */
  backupPath: string | undefined;
}

export interface BackupRequest {
  /** By default a new name in the folder of scheduled backups. */
  path?: string | undefined;
  incremental: boolean;
  /** By default as in the settings. */
  compress?: boolean | undefined;
}

export interface RestoreResult {
  vectorCount: number;
  /** When the backup was made. */
  timestamp: Date;
}

export interface RefitResult {
  /** Vectors in the index when the model came into force. */
  vectorCount: number;
  /** Numbers in a reduced vector. */
  reducedDimension: number;
}

/** Work of a schedule that failed; gone once it succeeds. */
export interface Failure {
  task: "snapshot" | "backup" | "tend" | "write" | "fit";
  code: string;
  message: string;
  timestamp: Date;
}

export interface Health {
  /** `degraded`: searches and reads work, but see `failures`. */
  status: "ok" | "degraded";
  vectorCount: number;
  dimension: number;
  distance: Metric;
  lastSnapshot: Date | undefined;
  lastBackup: Date | undefined;
  failures: Failure[];
}

/** Names as in the seed. Latencies are medians of the last 256 calls, 0 before the first. */
export interface Metrics {
  vector_count: number;
  /** Of the graph and the metadata, in megabytes of 10^6 bytes. */
  memory_usage_mb: number;
  uptime_seconds: number;
  /** Median of the last 256; 0 before the first. */
  search_latency_ms: number;
  add_latency_ms: number;
  dimension: number;
  searches_total: number;
  vectors_added_total: number;
  vectors_deleted_total: number;
  /** Bytes that the next opening replays. */
  journal_bytes: number;
  /** Numbers in a reduced vector; 0 while vectors are searched as they are. */
  reduced_dimension: number;
  /** How far the fit of a model is that is under way, 0 to 1; 0 where none is. */
  fit_progress: number;
  /** Models fitted since the index was opened. */
  fits_total: number;
}

/** Every method throws VxError only. */
export interface Engine {
  describe(): Promise<IndexDescription>;
  /**
   * All of it or nothing, durable and found by the next search when it settles.
   * @throws `invalid_vector`, `invalid_request` (metadata), `capacity_exceeded`, `storage_full`, `unavailable`
   */
  add(batch: RecordBatch): Promise<void>;
  /** False if the id was not there. */
  delete(id: bigint): Promise<boolean>;
  get(id: bigint): Promise<StoredRecord | undefined>;
  list(offset: number, limit: number): Promise<RecordPage>;
  /** @throws `invalid_vector`, `invalid_query` (filter), `invalid_request` (facets) */
  search(query: Float32Array, range: ResultRange, narrowing?: Narrowing): Promise<Ranking>;
  searchNegatives(positive: Float32Array, negatives: Float32Array[], range: ResultRange): Promise<Ranking>;
  searchMany(queries: Float32Array[], k: number): Promise<Ranking[]>;
  /** @throws `invalid_query` */
  queryMetadata(sql: string): Promise<FirstRows>;
  /**
   * Vectors with fewer dimensions, added nowhere; of none also before there is a model.
   * @throws `reduction_disabled`, `conflict` (no model yet), `invalid_vector`
   */
  reduce(vectors: Float32Array[]): Promise<Float32Array[]>;
  /**
   * Fits a model to what is there now. Searches and changes go on.
   * @throws `reduction_disabled`, `conflict` (too few vectors), `unavailable`, `capacity_exceeded`, `storage_full`
   */
  refit(): Promise<RefitResult>;
  /** Writes the whole index to its folder, or a copy of it to another one. */
  save(path: string | undefined): Promise<void>;
  backup(request: BackupRequest): Promise<BackupResult>;
  /** The index becomes what the backup holds; where it fails, it stays what it is. */
  restore(path: string): Promise<RestoreResult>;
  health(): Promise<Health>;
  /** `elsewhere`: searches since the last call that the engine did not see, to be counted with its own. */
  metrics(elsewhere?: SearchTimes): Promise<Metrics>;
  /** Ends schedules, waits for what is under way, lets go of the folder. */
  close(): Promise<void>;
}

/** An engine whose caller may be in another thread. */
export interface SharingEngine extends Engine {
  /** What such a caller needs to search by itself; undefined if it can't. Anew after a restore. */
  share(): Promise<SharedRecords | undefined>;
  /**
   * The slots that such a caller may find until the next change; undefined where they may be others before, because the
   * filter asks for the time, say. @throws `invalid_query`, `invalid_request`
   */
  slotsOf(narrowing: Narrowing): Promise<LastingSlots | undefined>;
}
