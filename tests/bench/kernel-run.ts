/**
 * The bare kernel at work, in whatever runtime: built slice by slice, asked round by round. Used by vectors-browser on
 * both sides.
 */
import type { Metric } from "../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../src/vx/hnsw/hnsw-graph.ts";

export interface KernelShape {
  dimension: number;
  metric: Metric;
  m: number;
  efConstruction: number;
}

export class KernelRun {
  readonly #graph: HnswGraph;
  readonly #vectors: Float32Array[];
  readonly #queries: Float32Array[];

  constructor(shape: KernelShape, vectors: Float32Array, queries: Float32Array) {
    this.#graph = new HnswGraph(shape);
    this.#vectors = rowsOf(vectors, shape.dimension);
    this.#queries = rowsOf(queries, shape.dimension);
  }

  /** Adds rows [from, to). Gives seconds of the clock. */
  build(from: number, to: number): number {
    const startMs = performance.now();
    for (let row = from; row < to; row++) this.#graph.add(row, this.#vectors[row] as Float32Array);
    return (performance.now() - startMs) / 1000;
  }

  /** Runs all queries so many times. Gives the ids found by each. */
  query(k: number, ef: number, times: number): number[] {
    let found: BigUint64Array[] = [];
    for (let i = 0; i < times; i++)
      found = this.#queries.map((query) => this.#graph.search(query, k, { ef }).ids);
    return found.flatMap((ids) => Array.from(ids, Number));
  }
}

function rowsOf(all: Float32Array, dimension: number): Float32Array[] {
  return Array.from({ length: all.length / dimension }, (_, i) => {
    return all.slice(i * dimension, (i + 1) * dimension);
  });
}
