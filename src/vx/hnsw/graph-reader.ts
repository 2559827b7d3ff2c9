/**
 * A second view of a graph, in another thread, which searches it there: no search waits for the graph's own thread, or for two
 * threads to wake each other. Whoever makes one sees to it that the graph is not changed meanwhile. Made from a job, which
 * HnswGraph gives; the other end is assembly/reader.ts.
 */
import { checkDimension, invalidVector } from "./arguments.ts";
import type { Metric, Neighbours } from "./graph.ts";
import { FULL, INVALID_VECTOR } from "./kernel-exports.ts";
import { MAX_READER_EF } from "./limits.ts";

/** Bytes that a reader has for itself: its tables, its query, and pools that are made larger by and by. */
export function readerBytes(dimension: number): number {
  return 128 * 1024 + dimension * 32 + MAX_READER_EF * 256;
}

/** What a reader needs to know; goes to its thread as data. */
export interface ReaderJob {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  boardAddress: number;
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

interface ReaderExports {
  joinAsReader(
    board: number,
    region: number,
    regionBytes: number,
    dimension: number,
    cosine: boolean,
    m: number,
    quantized: boolean,
  ): number;
  read(k: number, ef: number): number;
  inputAddress(): number;
  resultsAddress(): number;
}

export class GraphReader {
  readonly #job: ReaderJob;
  readonly #exports: ReaderExports;
  readonly #input: Float32Array;

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
    this.#input = new Float32Array(memory.buffer, kernel.inputAddress() >>> 0, dimension);
  }

  /** The k nearest, or undefined if that is more than a reader has room for. @throws DimensionMismatchError, VxError `invalid_vector` */
  search(query: Float32Array, k: number): SlottedNeighbours | undefined {
    const { dimension, metric, efSearch } = this.#job;
    const ef = Math.max(k, efSearch);
    if (ef > MAX_READER_EF) return undefined;
    checkDimension(query, dimension);
    this.#input.set(query);
    const count = this.#exports.read(k, ef);
    if (count === FULL) return undefined;
    if (count === INVALID_VECTOR) throw invalidVector(metric);
    return this.#results(count);
  }

  #results(count: number): SlottedNeighbours {
    if (count === 0)
      return { ids: new BigUint64Array(0), distances: new Float32Array(0), slots: new Uint32Array(0) };
    const { buffer } = this.#job.memory;
    const address = this.#exports.resultsAddress() >>> 0;
    return {
      ids: new BigUint64Array(buffer, address, count).slice(),
      distances: new Float32Array(buffer, address + count * 8, count).slice(),
      slots: new Uint32Array(buffer, address + count * 12, count).slice(),
    };
  }
}
