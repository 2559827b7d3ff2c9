/**
 * The host side of the WebAssembly kernel: its exports as methods that take arrays and throw. Made by HnswGraph; called by
 * it and its state. Calls kernel-memory for what lies in memory, and team for the threads that help to link.
 */
import { indexFull, VxError } from "../errors.ts";
import { MAX_K } from "../limits.ts";
import { invalidVector } from "./arguments.ts";
import type { GraphOptions, Neighbours, ScoredNeighbours } from "./graph.ts";
import { type ReaderJob, readerBytes } from "./graph-reader.ts";
import { FULL, INVALID_VECTOR } from "./kernel-codes.ts";
import { type KernelExports, ownInstance, sharedInstance } from "./kernel-exports.ts";
import { type Arena, arenaNumbers, KernelMemory } from "./kernel-memory.ts";
import { MAX_NEGATIVES, READING_ROOM_BYTES } from "./limits.ts";
import { GATE_BYTES, ReadGate } from "./read-gate.ts";
import type { SlotSet } from "./slot-set.ts";
import type { ReadingRoom } from "./state.ts";
import { helperBytes, type LinkThreads, startTeam, type Team } from "./team.ts";

const LIVE = 1;

/** Facts of the graph that lie in no arena; slots, 2^32 - 1 for none. */
export interface GraphFacts {
  entrySlot: number;
  freeSlot: number;
  sweepSlot: number;
}

export class Kernel {
  readonly memory: KernelMemory;
  readonly #exports: KernelExports;
  readonly #options: Required<GraphOptions>;
  /** In shared memory: who helps to link. */
  readonly #threads: LinkThreads | undefined;
  #boardAddress = 0;
  #team: Team | undefined;
  #gate: ReadGate | undefined;
  #holds = 0;
  #pins = 0;
  /** To be called when nothing is pinned any more. */
  #waiting: (() => void)[] = [];

  /** @throws VxError `capacity_exceeded` if not even an empty graph fits the memory allowed */
  constructor(options: Required<GraphOptions>, threads?: LinkThreads) {
    this.#exports = threads === undefined ? ownInstance() : sharedInstance(threads.module);
    this.#options = options;
    this.#threads = threads;
    const { dimension, metric, m, efConstruction, efSearch, maxElements } = options;
    const { quantization, maxMemoryBytes } = options;
    const most = maxElements === 0 ? 0xffffffff : Math.min(maxElements, 0xffffffff);
    this.#check(
      this.#exports.create(
        dimension,
        metric === "cosine",
        m,
        efConstruction,
        most,
        quantization === "int8",
        maxMemoryBytes,
      ),
    );
    const queries = metric === "l2" ? 1 + MAX_NEGATIVES : 1;
    // With negatives a search has twice as many candidates.
    this.#exports.foresee(MAX_K, Math.max(MAX_K, efSearch) * 2, queries);
    if (threads !== undefined) this.#boardAddress = this.#openBoard(threads);
    this.memory = new KernelMemory(this.#exports, options);
  }

  get count(): number {
    return this.#exports.count() >>> 0;
  }

  get slotLimit(): number {
    return this.#exports.slots() >>> 0;
  }

  get usedBytes(): number {
    return this.#exports.usedBytes() >>> 0;
  }

  add(id: bigint, vector: Float32Array): number {
    this.memory.putInput(vector);
    return this.#check(this.#exports.add(id));
  }

  remove(id: bigint): boolean {
    return this.#exports.remove(id) === 1;
  }

  slotOf(id: bigint): number | undefined {
    const slot = this.#exports.slotOfId(id);
    return slot < 0 ? undefined : slot;
  }

  isLive(state: number | undefined): boolean {
    return state === LIVE;
  }

  /** Until what this gives is called, slots in use keep their vectors. */
  hold(): () => void {
    return this.#holding(
      () => (this.#holds += 1),
      () => (this.#holds -= 1),
    );
  }

  /** As `hold`, and no slot is used again. */
  pin(): () => void {
    return this.#holding(
      () => (this.#pins += 1),
      () => {
        this.#pins -= 1;
        if (this.#pins === 0) for (const go of this.#waiting.splice(0)) go();
      },
    );
  }

  get isPinned(): boolean {
    return this.#pins > 0;
  }

  /** Settles when nothing pins it any more. */
  unpinned(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Room in slots never used. @throws VxError `capacity_exceeded` */
  makeRoom(count: number): void {
    this.#check(this.#exports.makeRoom(count));
  }

  search(query: Float32Array, k: number, ef: number, allow: SlotSet | undefined): Neighbours {
    if (allow !== undefined) this.#filter(allow);
    this.memory.putInput(query);
    return this.memory.results(this.#check(this.#exports.search(k, ef, allow !== undefined)));
  }

  /** By a scan, among slots that are live or were left behind since the kernel was pinned. */
  searchAmong(query: Float32Array, k: number, ef: number, slots: SlotSet): Neighbours {
    this.#filter(slots);
    this.memory.putInput(query);
    return this.memory.results(this.#check(this.#exports.searchAmong(k, ef)));
  }

  /** Whether a search with so many candidates measures all vectors. */
  scansAll(ef: number): boolean {
    return this.#exports.scansAll(ef) !== 0;
  }

  /** By joined score; L2 alone. Query 0 is the positive. With `among` by a scan, as `searchAmong`. */
  searchNegatives(queries: Float32Array[], k: number, ef: number, among?: SlotSet): ScoredNeighbours {
    for (const [index, query] of queries.entries()) this.ask(query, index, queries.length);
    if (among !== undefined) this.#filter(among);
    const count = this.#check(
      among === undefined
        ? this.#exports.searchNegatives(k, ef, queries.length)
        : this.#exports.searchNegativesAmong(k, ef, queries.length),
    );
    return { ...this.memory.results(count), scores: this.memory.resultScores(count) };
  }

  /** Makes a vector query number `index` of `queries`. */
  ask(vector: ArrayLike<number>, index: number, queries: number): void {
    this.memory.putInput(vector);
    this.#check(this.#exports.ask(index, queries));
  }

  /** The distance from query 0 to a slot. */
  distanceTo(slot: number): number {
    return this.#exports.distanceTo(slot);
  }

  /** What a reader in another thread needs; undefined where memory is not shared, or has no room for it. Once. */
  openReader(): ReaderJob | undefined {
    if (this.#threads === undefined) return undefined;
    const { dimension, metric, m, quantization, efSearch } = this.#options;
    const { memory } = this.#exports;
    const boardAddress = this.#exports.openReaderBoard() >>> 0;
    const gateAddress = this.#exports.regionFor(GATE_BYTES) >>> 0;
    const regionBytes = readerBytes(dimension);
    const regionAddress = this.#exports.regionFor(regionBytes) >>> 0;
    if (boardAddress === 0 || gateAddress === 0 || regionAddress === 0) return undefined;
    this.#gate = new ReadGate(memory.buffer, gateAddress);
    this.#exports.publish();
    return {
      ...{ module: this.#threads.module, memory, boardAddress, gateAddress, regionAddress, regionBytes },
      ...{ dimension, metric, m, quantized: quantization === "int8", efSearch },
    };
  }

  /** Before a change: from here until what this gives is called, the reader searches nothing. */
  closeToReader(): () => void {
    const gate = this.#gate;
    gate?.close();
    return () => {
      this.#exports.publish();
      gate?.open();
    };
  }

  /** A number that grows with every change that the reader is to know of; 0 without one. */
  get version(): number {
    return this.#gate?.version ?? 0;
  }

  get hasHelpers(): boolean {
    return this.#threads !== undefined;
  }

  /** As `add`, but for the links, which the next round makes. */
  stage(id: bigint, vector: Float32Array): number {
    this.memory.putInput(vector);
    return this.#check(this.#exports.stage(id));
  }

  dropStaged(): void {
    this.#exports.dropStaged();
  }

  /** Begins to link what was staged, if anything was, with all helpers. */
  beginRound(): void {
    if (this.#threads === undefined) throw new VxError("internal", "Nobody is there to help with linking");
    if (this.#exports.beginRound() === 0) return;
    this.#team ??= startTeam(this.#threads, this.#exports, this.#options, this.#boardAddress);
    this.#team.begin();
  }

  /** Links one of the slots staged. False if all are taken. */
  linkStaged(): boolean {
    return this.#exports.linkStaged() !== 0;
  }

  /** Nobody takes another slot. */
  stopRound(): void {
    this.#exports.stopRound();
  }

  get isRoundDone(): boolean {
    return this.#team === undefined || this.#team.isDone;
  }

  /** Once it is done: links one of the slots that are left. False if none is. */
  linkLeft(): boolean {
    return this.#exports.linkLeft() !== 0;
  }

  /** Once nothing is left, until it gives false: what a sweep does at every write is done for those of the round. */
  endRound(): boolean {
    return this.#exports.endRound() !== 0;
  }

  /** Ends the helpers. */
  close(): void {
    this.#team?.end();
    this.#team = undefined;
  }

  get facts(): GraphFacts {
    return {
      entrySlot: this.#exports.entrySlot() >>> 0,
      freeSlot: this.#exports.freeSlot() >>> 0,
      sweepSlot: this.#exports.sweepSlot() >>> 0,
    };
  }

  /** The lists of level 1 and up, packed, some at a time; views of memory until the next one. */
  *packedUppers(): Generator<Uint8Array> {
    for (let first = 0; first < this.slotLimit; first = this.#exports.packedTo() >>> 0) {
      yield this.memory.packed(this.#exports.packUppers(first));
    }
  }

  /** For who reads a state, before views of what is to be filled are made; undefined if there is no memory for it. */
  openReadingRoom(): ReadingRoom | undefined {
    const address = this.#exports.regionFor(READING_ROOM_BYTES) >>> 0;
    if (address === 0) return undefined;
    return { memory: this.#exports.memory, address, byteLength: READING_ROOM_BYTES };
  }

  /**
   * Makes room for a state. The caller fills in the states and has them taken, then the arenas, some slots at a time, then the
   * upper lists. What gives false is damaged, and the kernel then of no use.
   */
  openState(slots: number, uppersBytes: number): void {
    this.#check(this.#exports.openState(slots, uppersBytes));
  }

  takeStates(): boolean {
    return this.#exports.takeStates() >= 0;
  }

  takePart(arena: Arena, first: number, end: number): boolean {
    return this.#exports.takePart(arenaNumbers[arena], first, end) >= 0;
  }

  finishState(uppersBytes: number, facts: GraphFacts): boolean {
    return this.#exports.finishState(uppersBytes, facts.entrySlot, facts.freeSlot, facts.sweepSlot) >= 0;
  }

  #holding(begin: () => void, end: () => void): () => void {
    const tell = () => this.#exports.hold(this.#holds > 0, this.#pins > 0);
    let isHeld = true;
    begin();
    tell();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      end();
      tell();
    };
  }

  #openBoard(threads: LinkThreads): number {
    const address = this.#exports.openBoard(threads.count, helperBytes(this.#exports, this.#options)) >>> 0;
    if (address === 0) throw this.#full();
    return address;
  }

  #filter(allow: SlotSet): void {
    if (!this.memory.putFilter(allow)) throw this.#full();
  }

  #check(code: number): number {
    if (code === FULL) throw this.#full();
    if (code === INVALID_VECTOR) throw invalidVector(this.#options.metric);
    return code;
  }

  #full(): VxError {
    const { maxElements } = this.#options;
    if (maxElements > 0 && this.count >= maxElements) return indexFull(maxElements);
    return new VxError(
      "capacity_exceeded",
      `The index is full: no memory for more than ${this.count} vectors of ${this.#options.dimension} numbers`,
    );
  }
}
