/**
 * The host side of the WebAssembly kernel: the one file that knows its pointers. Called by HnswGraph and its
 * state. Views of the kernel's memory are made anew at each use, for growing detaches the old ones.
 */
import { VxError } from "../errors.ts";
import { invalidVector } from "./arguments.ts";
import { kernelBase64 } from "./build/kernel-wasm.ts";
import type { GraphOptions, Neighbours, ScoredNeighbours } from "./graph.ts";
import type { SlotSet } from "./slot-set.ts";
import { type LinkJob, type LinkThreads, REGION_HEAD_BYTES, Team } from "./team.ts";
import { compiled } from "./wasm-module.ts";

interface Exports {
  memory: WebAssembly.Memory;
  create(
    dimension: number,
    cosine: boolean,
    m: number,
    efConstruction: number,
    most: number,
    quantized: boolean,
    memoryBytes: number,
  ): number;
  add(id: bigint): number;
  remove(id: bigint): number;
  stage(id: bigint): number;
  dropStaged(): void;
  openBoard(helpers: number): number;
  regionFor(bytes: number): number;
  regionBytes(dimension: number, m: number, efConstruction: number): number;
  beginRound(): number;
  linkStaged(): number;
  stopRound(): void;
  endRound(): void;
  slotOfId(id: bigint): number;
  search(k: number, ef: number, filtered: boolean): number;
  searchAmong(k: number): number;
  ask(index: number, queries: number): number;
  searchNegatives(k: number, ef: number, queries: number): number;
  searchNegativesAmong(k: number, queries: number): number;
  distanceTo(slot: number): number;
  inputAddress(): number;
  filterAddress(): number;
  resultsAddress(): number;
  vectorAddress(slot: number): number;
  arenaAddress(arena: number, segment: number): number;
  statesAddress(): number;
  packedAddress(): number;
  slotsOfSegment(): number;
  openState(slots: number, uppersBytes: number): number;
  finishState(uppersBytes: number, entry: number, free: number, cursor: number): number;
  packUppers(): number;
  pin(pinned: boolean): void;
  entrySlot(): number;
  freeSlot(): number;
  sweepSlot(): number;
  count(): number;
  slots(): number;
  slotRoom(): number;
  usedBytes(): number;
}

/** Codes of assembly/kernel.ts. */
const FULL = -1;
const INVALID_VECTOR = -2;

const LIVE = 1;

/** Arenas that a state is made of, by their number in the kernel, with bytes a slot. */
export type Arena = "links" | "vectors" | "ids";
const arenaNumbers: Record<Arena, number> = { links: 0, vectors: 1, ids: 2 };

export class Kernel {
  readonly #exports: Exports;
  readonly #options: Required<GraphOptions>;
  readonly #inputAddress: number;
  /** In shared memory: who helps to link. */
  readonly #threads: LinkThreads | undefined;
  #team: Team | undefined;
  #pins = 0;

  /** @throws VxError `capacity_exceeded` if not even an empty graph fits the memory allowed */
  constructor(options: Required<GraphOptions>, threads?: LinkThreads) {
    const exports = threads === undefined ? ownInstance() : sharedInstance(threads.module);
    this.#exports = exports as unknown as Exports;
    this.#options = options;
    this.#threads = threads;
    const { dimension, metric, m, efConstruction, maxElements, quantization, maxMemoryBytes } = options;
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
    this.#inputAddress = this.#exports.inputAddress() >>> 0;
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
    this.#put(vector);
    return this.#check(this.#exports.add(id));
  }

  /** As `add`, but for the links, which the next round makes. */
  stage(id: bigint, vector: Float32Array): number {
    this.#put(vector);
    return this.#check(this.#exports.stage(id));
  }

  dropStaged(): void {
    this.#exports.dropStaged();
  }

  get hasHelpers(): boolean {
    return this.#threads !== undefined;
  }

  /** Begins to link what was staged, with all helpers. @throws VxError `capacity_exceeded` */
  beginRound(): void {
    this.#team ??= this.#startTeam();
    this.#check(this.#exports.beginRound());
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

  /** Once it is done. */
  endRound(): void {
    this.#exports.endRound();
  }

  /** Ends the helpers. */
  close(): void {
    this.#team?.end();
    this.#team = undefined;
  }

  remove(id: bigint): boolean {
    return this.#exports.remove(id) === 1;
  }

  slotOf(id: bigint): number | undefined {
    const slot = this.#exports.slotOfId(id);
    return slot < 0 ? undefined : slot;
  }

  /** A copy of a slot's vector. */
  vector(slot: number): Float32Array {
    return this.#floats(this.#exports.vectorAddress(slot), this.#options.dimension).slice();
  }

  search(query: Float32Array, k: number, ef: number, allow: SlotSet | undefined): Neighbours {
    if (allow !== undefined) this.#filter(allow);
    this.#put(query);
    const count = this.#check(this.#exports.search(k, ef, allow !== undefined));
    return this.#results(count);
  }

  /** The slots of what the last search found. */
  foundSlots(count: number): Uint32Array {
    const address = (this.#exports.resultsAddress() >>> 0) + count * 12;
    return new Uint32Array(this.#exports.memory.buffer, address, count).slice();
  }

  /** Exactly, among slots that are live or were left behind since the kernel was pinned. */
  searchAmong(query: Float32Array, k: number, slots: SlotSet): Neighbours {
    this.#filter(slots);
    this.#put(query);
    return this.#results(this.#check(this.#exports.searchAmong(k)));
  }

  /** By joined score; L2 alone. Query 0 is the positive. With `among` exactly, as `searchAmong`. */
  searchNegatives(queries: Float32Array[], k: number, ef: number, among?: SlotSet): ScoredNeighbours {
    for (const [index, query] of queries.entries()) this.ask(query, index, queries.length);
    if (among !== undefined) this.#filter(among);
    const count = this.#check(
      among === undefined
        ? this.#exports.searchNegatives(k, ef, queries.length)
        : this.#exports.searchNegativesAmong(k, queries.length),
    );
    const scoresAddress = (this.#exports.resultsAddress() >>> 0) + count * 16;
    return { ...this.#results(count), scores: this.#floats(scoresAddress, count).slice() };
  }

  /** Makes a vector query number `index` of `queries`. */
  ask(vector: ArrayLike<number>, index: number, queries: number): void {
    this.#put(vector);
    this.#check(this.#exports.ask(index, queries));
  }

  /** The distance from query 0 to a slot. */
  distanceTo(slot: number): number {
    return this.#exports.distanceTo(slot);
  }

  /** The states of all slots, as they lie in memory. */
  states(): Uint8Array {
    return this.#bytes(this.#exports.statesAddress(), this.slotLimit);
  }

  isLive(state: number | undefined): boolean {
    return state === LIVE;
  }

  bytesASlot(arena: Arena): number {
    const { dimension, m } = this.#options;
    return { links: m * 8, vectors: Math.ceil(dimension / 4) * 16, ids: 8 }[arena];
  }

  /** The bytes of an arena's first slots, segment by segment, as they lie in memory. */
  *arena(arena: Arena, slotLimit = this.slotLimit): Generator<Uint8Array> {
    const slotsOfSegment = this.#exports.slotsOfSegment();
    for (let segment = 0; segment * slotsOfSegment < slotLimit; segment++) {
      const slots = Math.min(slotsOfSegment, slotLimit - segment * slotsOfSegment);
      const address = this.#exports.arenaAddress(arenaNumbers[arena], segment);
      yield this.#bytes(address, slots * this.bytesASlot(arena));
    }
  }

  /** Copies an arena's bytes from `offset` on. */
  readArena(arena: Arena, offset: number, into: Uint8Array): void {
    const segmentBytes = this.#exports.slotsOfSegment() * this.bytesASlot(arena);
    for (let done = 0; done < into.byteLength; ) {
      const at = offset + done;
      const segment = Math.floor(at / segmentBytes);
      const within = at - segment * segmentBytes;
      const length = Math.min(into.byteLength - done, segmentBytes - within);
      const address = this.#exports.arenaAddress(arenaNumbers[arena], segment) >>> 0;
      into.set(this.#bytes(address + within, length), done);
      done += length;
    }
  }

  /** The lists of level 1 and up, packed; a view of memory. */
  packedUppers(): Uint8Array {
    const bytes = this.#check(this.#exports.packUppers());
    return this.#bytes(this.#exports.packedAddress(), bytes);
  }

  /** Until what this gives is called, slots in use keep their vectors and no slot is used again. */
  pin(): () => void {
    let pinned = true;
    this.#pins++;
    this.#exports.pin(true);
    return () => {
      if (!pinned) return;
      pinned = false;
      this.#pins--;
      this.#exports.pin(this.#pins > 0);
    };
  }

  /** Facts of the graph that lie in no arena; slots, 2^32 - 1 for none. */
  get facts(): GraphFacts {
    return {
      entrySlot: this.#exports.entrySlot() >>> 0,
      freeSlot: this.#exports.freeSlot() >>> 0,
      sweepSlot: this.#exports.sweepSlot() >>> 0,
    };
  }

  /** Makes room for a state; the caller fills states, arenas and what this gives: the packed upper lists. */
  openState(slots: number, uppersBytes: number): Uint8Array {
    this.#check(this.#exports.openState(slots, uppersBytes));
    return this.#bytes(this.#exports.packedAddress(), uppersBytes);
  }

  /** Takes over the state that was filled in. False if it is damaged; the kernel is then of no use. */
  finishState(uppersBytes: number, facts: GraphFacts): boolean {
    return this.#exports.finishState(uppersBytes, facts.entrySlot, facts.freeSlot, facts.sweepSlot) >= 0;
  }

  #startTeam(): Team {
    const threads = this.#threads;
    if (threads === undefined) throw new VxError("internal", "Nobody is there to help with linking");
    const { dimension, metric, m, efConstruction, quantization } = this.#options;
    const shape = {
      module: threads.module,
      dimension,
      m,
      efConstruction,
      cosine: metric === "cosine",
      quantized: quantization === "int8",
    };
    const boardAddress = this.#exports.openBoard(threads.count) >>> 0;
    const regionBytes = REGION_HEAD_BYTES + this.#exports.regionBytes(dimension, m, efConstruction);
    const jobs = Array.from({ length: threads.count }, (_, index): LinkJob => {
      const regionAddress = this.#exports.regionFor(regionBytes) >>> 0;
      if (boardAddress === 0 || regionAddress === 0) throw this.#full();
      return { memory: this.#exports.memory, boardAddress, index, regionAddress, regionBytes, ...shape };
    });
    return new Team(threads, this.#exports.memory, boardAddress, jobs);
  }

  #put(vector: ArrayLike<number>): void {
    this.#floats(this.#inputAddress, this.#options.dimension).set(vector);
  }

  #filter(allow: SlotSet): void {
    const address = this.#exports.filterAddress() >>> 0;
    if (address === 0) throw this.#full();
    const words = new Uint32Array(this.#exports.memory.buffer, address, (this.slotLimit + 31) >>> 5);
    words.fill(0);
    words.set(allow.words.subarray(0, words.length));
  }

  #results(count: number): Neighbours {
    const address = this.#exports.resultsAddress() >>> 0;
    if (count === 0) return { ids: new BigUint64Array(0), distances: new Float32Array(0) };
    return {
      ids: new BigUint64Array(this.#exports.memory.buffer, address, count).slice(),
      distances: this.#floats(address + count * 8, count).slice(),
    };
  }

  #floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#exports.memory.buffer, address >>> 0, length);
  }

  #bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, address >>> 0, length);
  }

  #check(code: number): number {
    if (code === FULL) throw this.#full();
    if (code === INVALID_VECTOR) throw invalidVector(this.#options.metric);
    return code;
  }

  #full(): VxError {
    const { maxElements } = this.#options;
    if (maxElements > 0 && this.count >= maxElements) {
      return new VxError("capacity_exceeded", `The index is full: it holds ${maxElements} vectors`);
    }
    return new VxError(
      "capacity_exceeded",
      `The index is full: no memory for more than ${this.count} vectors of ${this.#options.dimension} numbers`,
    );
  }
}

function ownInstance(): WebAssembly.Exports {
  return new WebAssembly.Instance(compiled(kernelBase64), {}).exports;
}

/** On memory that other threads can be given. */
function sharedInstance(module: WebAssembly.Module): WebAssembly.Exports {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 65_536, shared: true });
  return new WebAssembly.Instance(module, { env: { memory } }).exports;
}

export interface GraphFacts {
  entrySlot: number;
  freeSlot: number;
  sweepSlot: number;
}
