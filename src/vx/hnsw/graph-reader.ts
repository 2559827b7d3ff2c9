/**
 * A second view of a graph, in another thread, which searches it there: no search waits for the graph's own thread, or for two
 * threads to wake each other. It enters through a gate, which is closed while the graph changes. Made from a job, which
 * HnswGraph gives; the other end is assembly/reader.ts.
 */
import { checkDimension, invalidVector } from "./arguments.ts";
import type { Metric, Neighbours } from "./graph.ts";
import { FULL, INVALID_VECTOR } from "./kernel-codes.ts";
import type { KernelExports } from "./kernel-exports.ts";
import { KernelMemory } from "./kernel-memory.ts";
import { MAX_READER_EF } from "./limits.ts";
import { ReadGate } from "./read-gate.ts";
import type { SlotSet } from "./slot-set.ts";

/** Bytes that a reader has for itself: its tables, its query, and pools that are made larger by and by. */
export function readerBytes(dimension: number): number {
  return 128 * 1024 + dimension * 32 + MAX_READER_EF * 256;
}

/** What a reader needs to know; goes to its thread as data. */
export interface ReaderJob {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  boardAddress: number;
  gateAddress: number;
  regionAddress: number;
  regionBytes: number;
  dimension: number;
  metric: Metric;
  m: number;
  quantized: boolean;
  efSearch: number;
}

/** Results, and the slots that they lie in. */
export interface SlottedNeighbours extends Neighbours {
  slots: Uint32Array;
}

/** Beside what a reader calls of its own, what says where things lie. */
interface ReaderExports extends KernelExports {
  joinAsReader(
    board: number,
    region: number,
    regionBytes: number,
    dimension: number,
    cosine: boolean,
    m: number,
    quantized: boolean,
  ): number;
  adoptAsReader(): void;
  read(k: number, ef: number, filtered: boolean): number;
}

export class GraphReader {
  readonly #job: ReaderJob;
  readonly #exports: ReaderExports;
  readonly #memory: KernelMemory;
  readonly #gate: ReadGate;
  /** The set that lies where the kernel looks for it. */
  #allowed: SlotSet | undefined;

  constructor(job: ReaderJob) {
    const { module, memory, boardAddress, regionAddress, regionBytes, dimension, metric, m, quantized } = job;
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    const kernel = instance.exports as unknown as ReaderExports;
    const isCosine = metric === "cosine";
    if (!kernel.joinAsReader(boardAddress, regionAddress, regionBytes, dimension, isCosine, m, quantized)) {
      throw new Error("The region of a reader is too small");
    }
    this.#job = job;
    this.#exports = kernel;
    this.#memory = new KernelMemory(kernel, { dimension, m });
    this.#gate = new ReadGate(memory.buffer, job.gateAddress);
  }

  /** Changes with every change to the graph. */
  get version(): number {
    return this.#gate.version;
  }

  /** False while the graph changes. What is there stays as it is until `leave`, which must follow soon. */
  tryEnter(): boolean {
    return this.#gate.tryEnter();
  }

  leave(): void {
    this.#gate.leave();
  }

  /**
   * Once entered: the k nearest, of all or of a set that nobody changes any more; undefined if that is more than a reader has
   * room for. @throws DimensionMismatchError, VxError `invalid_vector`
   */
  search(query: Float32Array, k: number, allow?: SlotSet): SlottedNeighbours | undefined {
    const { dimension, metric, efSearch } = this.#job;
    const ef = Math.max(k, efSearch);
    if (ef > MAX_READER_EF) return undefined;
    checkDimension(query, dimension);
    this.#exports.adoptAsReader();
    if (allow !== undefined && !this.#allow(allow)) return undefined;
    this.#memory.putInput(query);
    const count = this.#exports.read(k, ef, allow !== undefined);
    if (count === FULL) return undefined;
    if (count === INVALID_VECTOR) throw invalidVector(metric);
    return { ...this.#memory.results(count), slots: this.#memory.resultSlots(count) };
  }

  /** A set of a million slots takes as long to put there as a search. */
  #allow(allow: SlotSet): boolean {
    if (this.#allowed === allow) return true;
    this.#allowed = allow;
    return this.#memory.putFilter(allow);
  }
}
