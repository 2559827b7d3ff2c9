/**
 * A graph of reduced vectors that takes, and gives back, vectors as they are added: it reduces them by a model, queries
 * too, and keeps the originals. Stands in for an HnswGraph once a model is fitted; used by Records and Change.
 */
import type { Neighbours, ScoredNeighbours, SearchOptions } from "../hnsw/graph.ts";
import type { HnswGraph } from "../hnsw/hnsw-graph.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";
import type { GraphState } from "../hnsw/state.ts";
import type { ReductionModel } from "../reduction/model.ts";
import type { KeptModel, ReducedSource } from "../storage/stored-index.ts";
import { TurnClock } from "../turn-clock.ts";
import { checkVector, soundVector } from "./checks.ts";
import type { Originals } from "./originals.ts";

/** What records ask of their graph. */
export type RecordGraph = Pick<
  HnswGraph,
  | "add"
  | "close"
  | "closeToReader"
  | "count"
  | "delete"
  | "dropStaged"
  | "exportState"
  | "get"
  | "hasHelpers"
  | "idIn"
  | "ids"
  | "idsBetween"
  | "linkStaged"
  | "isExported"
  | "liveSlots"
  | "makeRoom"
  | "memoryBytes"
  | "openReader"
  | "pin"
  | "released"
  | "search"
  | "searchAmong"
  | "searchNegatives"
  | "searchNegativesAmong"
  | "slotLimit"
  | "slotOf"
  | "stage"
  | "vectorIn"
  | "version"
>;

/** A fitted model, and what it is stored as. */
export interface StoredModel {
  model: ReductionModel;
  kept: KeptModel;
}

export class ReducedGraph implements RecordGraph {
  readonly model: ReductionModel;
  readonly #kept: KeptModel;
  readonly #graph: HnswGraph;
  readonly #originals: Originals;
  /** Vectors that were reduced before they were needed. */
  readonly #known = new WeakMap<Float32Array, Float32Array>();

  /** The graph is of the model's target; `originals` has a row for each of its slots in use. */
  constructor(graph: HnswGraph, { model, kept }: StoredModel, originals: Originals) {
    this.model = model;
    this.#kept = kept;
    this.#graph = graph;
    this.#originals = originals;
  }

  get count(): number {
    return this.#graph.count;
  }

  get slotLimit(): number {
    return this.#graph.slotLimit;
  }

  get memoryBytes(): number {
    return this.#graph.memoryBytes + this.#originals.memoryBytes + this.#kept.bytes.byteLength;
  }

  get hasHelpers(): boolean {
    return this.#graph.hasHelpers;
  }

  /** Tells what a vector comes to, for when it is added or asked for: it may take long to find out. */
  know(vector: Float32Array, reduced: Float32Array): void {
    this.#known.set(vector, reduced);
  }

  /** Reduces vectors in turns, for a call that is to need them at once. `next` gives others their turn; it may throw. */
  async prepare(
    vectors: Iterable<Float32Array>,
    next = (clock: TurnClock): Promise<void> => clock.next(),
  ): Promise<void> {
    const clock = new TurnClock();
    for (const vector of vectors) {
      if (!this.#known.has(vector)) this.know(vector, this.model.reduce(vector));
      if (clock.isOver) await next(clock);
    }
  }

  add(id: bigint | number, vector: Float32Array): number {
    const slot = this.#graph.add(id, this.#reduced(vector));
    this.#originals.set(slot, vector);
    return slot;
  }

  stage(id: bigint | number, vector: Float32Array): number {
    const slot = this.#graph.stage(id, this.#reduced(vector));
    this.#originals.set(slot, vector);
    return slot;
  }

  dropStaged(): void {
    this.#graph.dropStaged();
  }

  linkStaged(...args: Parameters<HnswGraph["linkStaged"]>): Promise<void> {
    return this.#graph.linkStaged(...args);
  }

  delete(id: bigint | number): boolean {
    return this.#graph.delete(id);
  }

  slotOf(id: bigint | number): number | undefined {
    return this.#graph.slotOf(id);
  }

  get(id: bigint | number): Float32Array | undefined {
    const slot = this.slotOf(id);
    return slot === undefined ? undefined : this.#originals.get(slot);
  }

  vectorIn(slot: number): Float32Array {
    return this.#originals.get(slot);
  }

  ids(): BigUint64Array {
    return this.#graph.ids();
  }

  idIn(slot: number): bigint {
    return this.#graph.idIn(slot);
  }

  liveSlots(): SlotSet {
    return this.#graph.liveSlots();
  }

  idsBetween(first: number, end: number): BigUint64Array {
    return this.#graph.idsBetween(first, end);
  }

  search(query: Float32Array, k: number, options?: SearchOptions): Neighbours {
    return this.#graph.search(this.#asked(query), k, options);
  }

  searchAmong(query: Float32Array, k: number, slots: SlotSet): Neighbours {
    return this.#graph.searchAmong(this.#asked(query), k, slots);
  }

  searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    options?: Pick<SearchOptions, "ef">,
  ): ScoredNeighbours {
    const asked = negatives.map((negative) => this.#asked(negative));
    return this.#graph.searchNegatives(this.#asked(positive), asked, k, options);
  }

  searchNegativesAmong(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    slots: SlotSet,
  ): ScoredNeighbours {
    const asked = negatives.map((negative) => this.#asked(negative));
    return this.#graph.searchNegativesAmong(this.#asked(positive), asked, k, slots);
  }

  pin(): () => void {
    return this.#graph.pin();
  }

  get isExported(): boolean {
    return this.#graph.isExported;
  }

  released(): Promise<void> {
    return this.#graph.released();
  }

  makeRoom(count: number): void {
    this.#graph.makeRoom(count);
  }

  /** None: it would not know how to reduce what it is asked for. */
  openReader(): undefined {
    return undefined;
  }

  closeToReader(): () => void {
    return this.#graph.closeToReader();
  }

  get version(): number {
    return this.#graph.version;
  }

  exportState(): GraphState {
    return this.#graph.exportState();
  }

  /** What goes into a snapshot beside the state, which must be exported in the same turn. */
  reducedSource(): ReducedSource {
    return { model: this.#kept, originals: this.#originals.part(this.slotLimit) };
  }

  close(): void {
    this.#graph.close();
  }

  /** @throws VxError `invalid_vector` */
  #asked(query: Float32Array): Float32Array {
    checkVector(query, this.#graph.metric);
    return this.#reduced(query);
  }

  #reduced(vector: Float32Array): Float32Array {
    return soundVector(this.#known.get(vector) ?? this.model.reduce(vector), this.#graph.metric);
  }
}
