/**
 * The records of an index in memory: the graph and the metadata, kept in step. Called by the engine for reading, by the
 * writer for changes, by loading. Reading by id: held-records; searches: searching; changes: applier.
 */
import { type FirstRows, MetadataIndex, type Narrowing } from "../metadata/metadata-index.ts";
import type { Operation } from "../storage/operations.ts";
import type { IndexFacts, SnapshotSource } from "../storage/stored-index.ts";
import { TurnClock } from "../turn-clock.ts";
import { Applier } from "./applier.ts";
import { emptyGraph, type RecordsOptions } from "./empty-graph.ts";
import type { Ranking, ResultRange, StoredRecord } from "./engine.ts";
import { HeldRecords } from "./held-records.ts";
import type { RecordGraph, ReducedGraph } from "./reduced-graph.ts";
import { search, searchNegatives } from "./searching.ts";
import type { LastingSlots, SharedRecords } from "./shared-records.ts";
import { snapshotRows } from "./snapshot-rows.ts";

export class Records {
  readonly #held: HeldRecords;
  #shared: SharedRecords | undefined;
  readonly #applier: Applier;

  constructor(facts: IndexFacts, options: RecordsOptions, graph: RecordGraph, metadata: MetadataIndex) {
    this.#held = new HeldRecords(facts, graph, metadata);
    this.#applier = new Applier(this.#held, options.batchSize);
  }

  static async create(facts: IndexFacts, options: RecordsOptions): Promise<Records> {
    const metadata = await MetadataIndex.open({ shared: options.threads !== undefined });
    return new Records(facts, options, emptyGraph(facts, options), metadata);
  }

  get facts(): IndexFacts {
    return this.#held.facts;
  }

  /** The reduced graph, once a model is fitted. */
  get reduced(): ReducedGraph | undefined {
    return this.#held.reduced;
  }

  get count(): number {
    return this.#held.count;
  }

  get memoryBytes(): number {
    return this.graphBytes + this.#held.metadata.memoryBytes;
  }

  get graphBytes(): number {
    return this.#held.graph.memoryBytes;
  }

  has(id: bigint): boolean {
    return this.#held.has(id);
  }

  get(id: bigint): StoredRecord | undefined {
    return this.#held.get(id);
  }

  /** The metadata of a record that is there. */
  textOf(id: bigint): string | undefined {
    return this.#held.textOf(id);
  }

  /** Ids of all records, oldest slot first; not while a batch is being applied. */
  ids(): BigUint64Array {
    return this.#held.graph.ids();
  }

  /** Before a query, so that it has no rows to write, which may take long. */
  async writeRows(): Promise<void> {
    await this.#held.metadata.writeRows(new TurnClock());
  }

  /** Not while a batch is being applied. @throws VxError `invalid_query` */
  query(sql: string): FirstRows {
    return this.#held.metadata.query(sql);
  }

  /** See SharingEngine.slotsOf. @throws as `search` */
  async slotsOf(narrowing: Narrowing): Promise<LastingSlots | undefined> {
    const { graph, metadata } = this.#held;
    await metadata.prepare(narrowing, new TurnClock());
    const slots = metadata.lasting(narrowing);
    return slots && { words: slots.words.slice(), version: graph.version };
  }

  /** @throws VxError `invalid_vector`, `invalid_query`, `invalid_request` */
  search(query: Float32Array, range: ResultRange, narrowing?: Narrowing): Promise<Ranking> {
    return search(this.#held, query, range, narrowing);
  }

  /** @throws VxError `invalid_vector`, `invalid_request` */
  searchNegatives(positive: Float32Array, negatives: Float32Array[], range: ResultRange): Ranking {
    return searchNegatives(this.#held, positive, negatives, range);
  }

  /**
   * Applies a batch; gives for each operation whether its id was there before. With `unread` nobody reads yet.
   * @throws Unapplied, BrokenOff
   */
  async apply(operations: Operation[], { unread = false } = {}): Promise<boolean[]> {
    const open = this.#held.graph.closeToReader();
    try {
      return await this.#applier.apply(operations, unread);
    } finally {
      open();
    }
  }

  /** What a caller in another thread needs to search by itself; undefined where memory is not shared or vectors are reduced. */
  share(): SharedRecords | undefined {
    if (this.#shared === undefined) {
      const graph = this.#held.graph.openReader();
      this.#shared = graph && { graph, texts: this.#held.metadata.texts };
    }
    return this.#shared;
  }

  /** Ends a batch that is being applied in turns at its next turn. */
  breakOff(): void {
    this.#applier.breakOff();
  }

  /** A batch is in the graph in part: it is being applied, or closing left it so. */
  get isInPart(): boolean {
    return this.#held.change !== undefined;
  }

  /** Whether large batches are shared among threads. */
  get hasHelpers(): boolean {
    return this.#held.graph.hasHelpers;
  }

  /** A step of work on metadata that is best done when nobody waits. True if there may be more. */
  tend(): boolean {
    return this.#held.change !== undefined || this.#held.metadata.tend();
  }

  /** The state as it is now, for a snapshot; a batch under way may be in it in part. */
  source(): SnapshotSource {
    const { graph } = this.#held;
    const reduced = this.reduced?.reducedSource();
    return { state: graph.exportState(), metadata: snapshotRows(this.#held, graph.slotLimit), reduced };
  }

  /** Ends the threads that help. */
  close(): void {
    this.#held.graph.close();
  }
}
