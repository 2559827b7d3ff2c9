/**
 * The vector graph in WebAssembly: hierarchical navigable small worlds (Malkov and Yashunin, 2016,
 * arXiv:1603.09320). Made by the engine, in the thread that uses it; calls the kernel. Its state goes out and
 * comes in by state.ts.
 */
import { MAX_K } from "../limits.ts";
import { checkDimension, checkedId, checkedOptions, checkInteger } from "./arguments.ts";
import type {
  GraphOptions,
  Metric,
  Neighbours,
  ScoredNeighbours,
  SearchOptions,
  VectorGraph,
} from "./graph.ts";
import type { ReaderJob } from "./graph-reader.ts";
import { Kernel } from "./kernel.ts";
import { MAX_EF, MAX_NEGATIVES } from "./limits.ts";
import { combinedDirection, similarity } from "./negatives.ts";
import { SlotSet } from "./slot-set.ts";
import { exportState, fillState, type GraphState, readHeader, type StateReader } from "./state.ts";
import type { LinkThreads } from "./team.ts";

export class HnswGraph implements VectorGraph {
  readonly dimension: number;
  readonly metric: Metric;
  readonly #options: Required<GraphOptions>;
  readonly #kernel: Kernel;

  /**
   * `threads` may help with many additions, see `stage`; the graph is then in shared memory.
   * @throws VxError `invalid_request`, `capacity_exceeded`
   */
  constructor(options: GraphOptions, threads?: LinkThreads) {
    const checked = checkedOptions(options);
    this.#options = checked;
    this.dimension = checked.dimension;
    this.metric = checked.metric;
    this.#kernel = new Kernel(checked, threads);
  }

  get count(): number {
    return this.#kernel.count;
  }

  get slotLimit(): number {
    return this.#kernel.slotLimit;
  }

  get memoryBytes(): number {
    return this.#kernel.usedBytes;
  }

  add(id: bigint | number, vector: Float32Array): number {
    const key = checkedId(id);
    checkDimension(vector, this.dimension);
    return this.#kernel.add(key, vector);
  }

  /** Whether vectors can be staged. */
  get hasHelpers(): boolean {
    return this.#kernel.hasHelpers;
  }

  /**
   * As `add`, but searches find it only once a round of all threads has linked it. While anything is staged the graph must
   * be pinned, and during the round nothing else may be added or deleted.
   */
  stage(id: bigint | number, vector: Float32Array): number {
    const key = checkedId(id);
    checkDimension(vector, this.dimension);
    return this.#kernel.stage(key, vector);
  }

  /** Forgets what is staged; to be deleted by the caller. */
  dropStaged(): void {
    this.#kernel.dropStaged();
  }

  /**
   * Links what was staged, with all helpers. When the clock says so, `next` gives others their turn; what it throws ends
   * the round, and what is not linked by then stays staged.
   */
  async linkStaged(
    clock: { isOver: boolean; next(): Promise<void> },
    next: () => Promise<void>,
  ): Promise<void> {
    this.#kernel.beginRound();
    try {
      while (this.#kernel.linkStaged()) if (clock.isOver) await next();
    } finally {
      this.#kernel.stopRound();
      while (!this.#kernel.isRoundDone) await clock.next();
    }
    while (this.#kernel.linkLeft()) if (clock.isOver) await next();
    while (this.#kernel.endRound()) if (clock.isOver) await next();
  }

  /**
   * What a GraphReader in another thread needs, undefined where there can be none. Once; from then on nothing may be changed
   * but between `closeToReader` and the end that it gives.
   */
  openReader(): ReaderJob | undefined {
    return this.#kernel.openReader();
  }

  /** Keeps the reader out, if there is one, until what this gives is called; it then finds what has changed. */
  closeToReader(): () => void {
    return this.#kernel.closeToReader();
  }

  /** A number that grows with every change that a reader is to know of. */
  get version(): number {
    return this.#kernel.version;
  }

  /** Ends the threads that help. */
  close(): void {
    this.#kernel.close();
  }

  delete(id: bigint | number): boolean {
    return this.#kernel.remove(checkedId(id));
  }

  slotOf(id: bigint | number): number | undefined {
    return this.#kernel.slotOf(checkedId(id));
  }

  get(id: bigint | number): Float32Array | undefined {
    const slot = this.slotOf(id);
    return slot === undefined ? undefined : this.#kernel.memory.vector(slot);
  }

  ids(): BigUint64Array {
    return this.idsBetween(0, this.slotLimit);
  }

  /** Ids of the live slots from `first` to before `end`, by slot. */
  idsBetween(first: number, end: number): BigUint64Array {
    const ids = new BigUint64Array(Math.max(0, end - first));
    this.#kernel.memory.readArena("ids", first * 8, new Uint8Array(ids.buffer));
    const states = this.#kernel.memory.states();
    let count = 0;
    for (let i = 0; i < ids.length; i++) {
      if (this.#kernel.isLive(states[first + i])) ids[count++] = ids[i] as bigint;
    }
    return ids.slice(0, count);
  }

  /** The slots in use. */
  liveSlots(): SlotSet {
    const live = new SlotSet(this.slotLimit);
    live.words.set(this.#kernel.memory.liveWords());
    return live;
  }

  /** The id in a slot, live or left behind while pinned. */
  idIn(slot: number): bigint {
    const id = new BigUint64Array(1);
    this.#kernel.memory.readArena("ids", slot * 8, new Uint8Array(id.buffer));
    return id[0] as bigint;
  }

  search(query: Float32Array, k: number, options: SearchOptions = {}): Neighbours {
    checkDimension(query, this.dimension);
    return this.#kernel.search(query, k, this.#breadth(k, options.ef), options.allow);
  }

  searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    options: Pick<SearchOptions, "ef"> = {},
  ): ScoredNeighbours {
    return this.#searchNegatives(positive, negatives, k, this.#breadth(k, options.ef));
  }

  #searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    ef: number,
    among?: SlotSet,
  ): ScoredNeighbours {
    for (const vector of [positive, ...negatives]) checkDimension(vector, this.dimension);
    checkInteger("The number of negatives", negatives.length, 0, MAX_NEGATIVES);
    if (negatives.length === 0) {
      const nearest = this.#nearest(positive, k, ef, among);
      return { ...nearest, scores: nearest.distances.map((distance) => similarity(this.metric, distance)) };
    }
    if (this.metric === "l2") return this.#kernel.searchNegatives([positive, ...negatives], k, ef, among);
    return this.#searchCombined(positive, negatives, k, ef, among);
  }

  #nearest(query: Float32Array, k: number, ef: number, among: SlotSet | undefined): Neighbours {
    if (among !== undefined) return this.#kernel.searchAmong(query, k, ef, among);
    return this.#kernel.search(query, k, ef, undefined);
  }

  /**
   * The k nearest among slots that are live or were left behind since the graph was pinned, all of which are measured:
   * exactly those without int8 rows, else those that `efSearch` candidates by these rows hold, as of every scan.
   * @throws what search throws
   */
  searchAmong(query: Float32Array, k: number, slots: SlotSet): Neighbours {
    checkDimension(query, this.dimension);
    return this.#kernel.searchAmong(query, k, this.#breadth(k), slots);
  }

  /** As `searchAmong`, by score. */
  searchNegativesAmong(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    slots: SlotSet,
  ): ScoredNeighbours {
    return this.#searchNegatives(positive, negatives, k, this.#breadth(k), slots);
  }

  /**
   * Under cosine the score is a scalar product with one vector, so its order is that of nearness to that vector. Where
   * nothing lies near it, a walk may end far from the best: what is nearest to the positive is ranked with what it finds.
   */
  #searchCombined(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    ef: number,
    among: SlotSet | undefined,
  ): ScoredNeighbours {
    for (const vector of [...negatives, positive]) this.#kernel.ask(vector, 0, 1);
    const { direction, length } = combinedDirection(positive, negatives);
    const idBySlot = new Map<number, bigint>();
    const collect = (query: Float32Array, count: number, breadth: number) => {
      const { ids } = this.#nearest(query, count, breadth, among);
      for (const [i, slot] of this.#kernel.memory.resultSlots(ids.length).entries())
        idBySlot.set(slot, ids[i] as bigint);
    };
    const breadth = Math.min(ef * 2, MAX_EF);
    if (among === undefined && !this.#kernel.scansAll(breadth)) collect(positive, Math.min(ef, MAX_K), ef);
    collect(direction, k, breadth);
    this.#kernel.ask(direction, 0, 1);
    const ranked = Array.from(idBySlot, ([slot, id]) => ({
      slot,
      id,
      score: length * (1 - Math.fround(this.#kernel.distanceTo(slot))),
    }));
    ranked.sort((a, b) => b.score - a.score || a.slot - b.slot).splice(k);
    this.#kernel.ask(positive, 0, 1);
    return {
      ids: BigUint64Array.from(ranked, ({ id }) => id),
      distances: Float32Array.from(ranked, ({ slot }) => this.#kernel.distanceTo(slot)),
      scores: Float32Array.from(ranked, ({ score }) => score),
    };
  }

  /** Until what this gives is called, slots in use keep their vectors, also when they are left behind. */
  pin(): () => void {
    return this.#kernel.hold();
  }

  /** Whether a state is on its way out, until whose release no slot is used again. */
  get isExported(): boolean {
    return this.#kernel.isPinned;
  }

  /** Settles when none is any more. */
  released(): Promise<void> {
    return this.#kernel.unpinned();
  }

  /** Room for vectors in slots never used. @throws VxError `capacity_exceeded` */
  makeRoom(count: number): void {
    this.#kernel.makeRoom(count);
  }

  /** A copy of the vector in a slot, live or left behind while pinned. */
  vectorIn(slot: number): Float32Array {
    return this.#kernel.memory.vector(slot);
  }

  /** The graph's state as it is now; see state.ts. The caller must release it. */
  exportState(): GraphState {
    return exportState(this.#kernel, this.#options);
  }

  /**
   * A graph from an exported state. The header decides dimension, metric and m; other options are free.
   * @throws VxError `backup_corrupt`, `capacity_exceeded`, and what `read` throws
   */
  static async open(
    header: Uint8Array,
    read: StateReader,
    options: Omit<GraphOptions, "dimension" | "metric" | "m"> = {},
    threads?: LinkThreads,
  ): Promise<HnswGraph> {
    const described = readHeader(header);
    const graph = new HnswGraph({ ...options, ...described.shape }, threads);
    await fillState(graph.#kernel, described, read);
    return graph;
  }

  #breadth(k: number, ef = this.#options.efSearch): number {
    checkInteger("k", k, 1, MAX_EF);
    checkInteger("ef", ef, 1, MAX_EF);
    return Math.max(k, ef);
  }
}
