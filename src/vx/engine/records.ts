/**
 * The records of an index in memory: the graph and the metadata, kept in step. Called by the engine for reading, by the
 * writer for changes, by loading. While a batch is applied in turns, all reading is as if it had not begun.
 */

import type { Neighbours, ScoredNeighbours } from "../hnsw/graph.ts";
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { MAX_EF, MIN_M } from "../hnsw/limits.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";
import type { LinkThreads } from "../hnsw/team.ts";
import { MetadataIndex, type Row } from "../metadata/metadata-index.ts";
import type { Operation } from "../storage/operations.ts";
import type { IndexFacts, MetadataRow, SnapshotSource } from "../storage/stored-index.ts";
import { Change } from "./change.ts";
import type { Narrowing, StoredRecord } from "./engine.ts";
import {
  FIRST_INSERT_MS,
  MIN_SHARED_OPERATIONS,
  SCANNED_PER_CANDIDATE,
  SNAPSHOT_ROW_CHARS,
  SNAPSHOT_ROWS,
  TURN_MS,
} from "./limits.ts";
import { best } from "./ranking.ts";
import { type RecordGraph, ReducedGraph } from "./reduced-graph.ts";
import { TurnClock } from "./turn-clock.ts";

/** What the graph's own options leave to the settings. */
export interface RecordsOptions {
  efSearch: number;
  /** Rows of metadata written in one go. */
  batchSize: number;
  /** Threads that help with large batches. */
  threads?: LinkThreads | undefined;
}

/** A batch that could not be applied. Nothing of it is left in memory. */
export class Unapplied extends Error {
  override readonly name = "Unapplied";
  /** What takes it back where it was stored. */
  readonly undone: Operation[];

  constructor(undone: Operation[], cause: unknown) {
    super("The batch could not be applied", { cause });
    this.undone = undone;
  }
}

/** A batch that was left in part, for the index closes. Memory is of use for a snapshot alone from then on. */
export class BrokenOff extends Error {
  override readonly name = "BrokenOff";
}

export class Records {
  readonly facts: IndexFacts;
  readonly #options: RecordsOptions;
  readonly #graph: RecordGraph;
  readonly #metadata: MetadataIndex;
  #change: Change | undefined;
  #isClosing = false;
  #insertMs = FIRST_INSERT_MS;

  constructor(facts: IndexFacts, options: RecordsOptions, graph: RecordGraph, metadata: MetadataIndex) {
    this.facts = facts;
    this.#options = options;
    this.#graph = graph;
    this.#metadata = metadata;
  }

  static async create(facts: IndexFacts, options: RecordsOptions): Promise<Records> {
    return new Records(facts, options, emptyGraph(facts, options), await MetadataIndex.open());
  }

  /** The reduced graph, once a model is fitted. */
  get reduced(): ReducedGraph | undefined {
    return this.#graph instanceof ReducedGraph ? this.#graph : undefined;
  }

  get count(): number {
    return this.#change?.count ?? this.#graph.count;
  }

  get memoryBytes(): number {
    return this.#graph.memoryBytes + this.#metadata.memoryBytes;
  }

  get graphBytes(): number {
    return this.#graph.memoryBytes;
  }

  has(id: bigint): boolean {
    if (this.#change?.former.get(id) !== undefined) return true;
    return this.#change?.hides(id) !== true && this.#graph.slotOf(id) !== undefined;
  }

  get(id: bigint): StoredRecord | undefined {
    const former = this.#change?.former.get(id);
    if (former !== undefined) return this.#change?.formerState(former);
    if (!this.has(id)) return undefined;
    return { vector: this.#graph.get(id) as Float32Array, metadata: this.textOf(id) };
  }

  /** A copy. */
  vectorOf(id: bigint): Float32Array | undefined {
    return this.get(id)?.vector;
  }

  /** The metadata of a record that is there. */
  textOf(id: bigint): string | undefined {
    const slot = this.#change?.former.get(id)?.slot ?? this.#graph.slotOf(id);
    return slot === undefined ? undefined : this.#metadata.get(slot);
  }

  /** Ids of all records, oldest slot first; not while a batch is being applied. */
  ids(): BigUint64Array {
    return this.#graph.ids();
  }

  /** Not while a batch is being applied. @throws VxError `invalid_query` */
  query(sql: string): Row[] {
    return this.#metadata.query(sql);
  }

  /** @throws VxError `invalid_vector`, `invalid_query`, `invalid_request` */
  search(query: Float32Array, k: number, narrowing: Narrowing | undefined): Neighbours {
    const allow = narrowing && this.#allowed(narrowing);
    const change = this.#change;
    if (change === undefined)
      return this.#graph.search(query, k, { ...this.#breadth, ...(allow && { allow }) });
    const found = this.#graph.search(query, k, { ...this.#breadth, allow: change.visible(allow) });
    if (change.former.size === 0) return found;
    const former = this.#graph.searchAmong(query, k, change.former.slots(allow));
    return best(k, [found, former], (ranking, i) => -(ranking.distances[i] as number));
  }

  /** @throws VxError `invalid_vector`, `invalid_request` */
  searchNegatives(positive: Float32Array, negatives: Float32Array[], k: number): ScoredNeighbours {
    const change = this.#change;
    if (change === undefined) return this.#graph.searchNegatives(positive, negatives, k, this.#breadth);
    for (let wanted = Math.min(k, MAX_EF); ; wanted = Math.min(wanted * 2, MAX_EF)) {
      const found = this.#graph.searchNegatives(positive, negatives, wanted, this.#breadth);
      const visible = found.ids.reduce((count, id) => count + (change.hides(id) ? 0 : 1), 0);
      if (visible < k && found.ids.length === wanted && wanted < MAX_EF) continue;
      const former = this.#graph.searchNegativesAmong(positive, negatives, k, change.former.slots(undefined));
      const score = (ranking: ScoredNeighbours, i: number) => ranking.scores[i] as number;
      return best(k, [found, former], score, (ranking, i) => {
        return ranking === found && change.hides(found.ids[i] as bigint);
      });
    }
  }

  /**
   * Applies a batch; gives for each operation whether its id was there before. A batch that takes longer than a turn is
   * hidden from all reading until it is in; with `unread`, where nobody reads yet, it is applied in one turn. Large ones
   * are linked by all threads there are.
   * @throws Unapplied, BrokenOff
   */
  async apply(operations: Operation[], { unread = false } = {}): Promise<boolean[]> {
    const { reduced } = this;
    if (reduced !== undefined) await reduced.prepare(vectorsOf(operations), (clock) => this.#next(clock));
    const isShared = this.#graph.hasHelpers && operations.length >= MIN_SHARED_OPERATIONS;
    const inTurns = isShared || (!unread && operations.length * this.#insertMs > TURN_MS);
    const change = new Change(this.#graph, this.#metadata, inTurns ? operations.length : 0);
    const startMs = performance.now();
    try {
      if (inTurns) await this.#applyInTurns(change, operations, isShared);
      else this.#applyAtOnce(change, operations);
    } catch (error) {
      if (error instanceof BrokenOff) throw error;
      change.undo();
      this.#change = undefined;
      throw new Unapplied(this.#statesOf(operations), error);
    } finally {
      this.#change = undefined;
      change.release();
    }
    if (!inTurns) this.#measure((performance.now() - startMs) / operations.length);
    return change.existed;
  }

  /** Ends a batch that is being applied in turns at its next turn. */
  breakOff(): void {
    this.#isClosing = true;
  }

  /** Whether large batches are shared among threads. */
  get hasHelpers(): boolean {
    return this.#graph.hasHelpers;
  }

  /** Ends the threads that help. */
  close(): void {
    this.#graph.close();
  }

  /** A step of work on metadata that is best done when nobody waits. True if there may be more. */
  tend(): boolean {
    return this.#change !== undefined || this.#metadata.tend();
  }

  /** The state as it is now, for a snapshot; a batch under way may be in it in part. */
  source(): SnapshotSource {
    const reduced = this.reduced?.reducedSource();
    return { state: this.#graph.exportState(), metadata: this.#rows(this.#graph.slotLimit), reduced };
  }

  /** Before a model is fitted searches are exact: so many candidates that the graph is scanned instead of walked. */
  get #breadth(): { ef?: number } {
    if (this.facts.reduction === undefined || this.reduced !== undefined) return {};
    const candidates = Math.ceil(this.#graph.count / SCANNED_PER_CANDIDATE);
    return { ef: Math.min(Math.max(candidates, 1), MAX_EF) };
  }

  /** Operations that make the records of a batch what they are now. */
  #statesOf(operations: Operation[]): Operation[] {
    return Array.from(new Set(operations.map(({ id }) => id)), (id) => {
      const record = this.get(id);
      return record === undefined ? { kind: "delete", id } : { kind: "add", id, ...record };
    });
  }

  #applyAtOnce(change: Change, operations: Operation[]): void {
    for (const operation of operations) change.toGraph(operation);
    for (const rows of change.rowChunks(this.#options.batchSize)) this.#metadata.setAll(rows);
    for (const slot of change.leftSlots()) this.#metadata.delete(slot);
  }

  async #applyInTurns(change: Change, operations: Operation[], isShared: boolean): Promise<void> {
    const clock = new TurnClock();
    this.#change = change;
    for (const operation of operations) {
      const startMs = performance.now();
      change.toGraph(operation, { staged: isShared });
      if (!isShared) this.#measure(performance.now() - startMs);
      if (clock.isOver) await this.#next(clock);
    }
    if (isShared) await this.#graph.linkStaged(clock, () => this.#next(clock));
    for (const rows of change.rowChunks(this.#options.batchSize)) {
      this.#metadata.setAll(rows);
      if (clock.isOver) await this.#next(clock);
    }
    this.#change = undefined;
    for (const slot of change.leftSlots()) {
      this.#metadata.delete(slot);
      if (clock.isOver) await this.#next(clock);
    }
  }

  async #next(clock: TurnClock): Promise<void> {
    await clock.next();
    if (this.#isClosing) throw new BrokenOff();
  }

  #measure(insertMs: number): void {
    this.#insertMs += (insertMs - this.#insertMs) / 16;
  }

  #allowed(narrowing: Narrowing): SlotSet {
    return "filter" in narrowing
      ? this.#metadata.filter(narrowing.filter)
      : this.#metadata.facets(narrowing.facets);
  }

  /** Rows of the records in the first slots, gathered while they are read. */
  *#rows(slotLimit: number): Generator<MetadataRow[]> {
    let rows: MetadataRow[] = [];
    let chars = 0;
    for (let first = 0; first < slotLimit; first += SNAPSHOT_ROWS) {
      for (const id of this.#graph.idsBetween(first, Math.min(first + SNAPSHOT_ROWS, slotLimit))) {
        const metadata = this.textOf(id);
        if (metadata === undefined) continue;
        rows.push({ id, metadata });
        chars += metadata.length;
        if (chars < SNAPSHOT_ROW_CHARS) continue;
        yield rows;
        rows = [];
        chars = 0;
      }
      if (rows.length < SNAPSHOT_ROWS) continue;
      yield rows;
      rows = [];
      chars = 0;
    }
    if (rows.length > 0) yield rows;
  }
}

function* vectorsOf(operations: Operation[]): Generator<Float32Array> {
  for (const operation of operations) if (operation.kind === "add") yield operation.vector;
}

/** Of a graph that vectors wait in for a model, which nobody walks: the fewest links there can be, and no rounded numbers. */
export const WAITING = { efConstruction: 1, quantization: "none" } as const;

export function emptyGraph(facts: IndexFacts, { efSearch, threads }: RecordsOptions): HnswGraph {
  const { dimension, metric, reduction } = facts;
  if (reduction === undefined) return new HnswGraph({ ...facts, efSearch }, threads);
  return new HnswGraph({ dimension, metric, m: MIN_M, ...WAITING });
}
