/**
 * A fitted t-SNE or UMAP: the fitted vectors with their places. What is new comes to where its nearest are, the nearer the
 * more (median-place). Made by placing-fit and decodeModel.
 */
import type { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { countVectors } from "./checked-vectors.ts";
import { medianPlace } from "./median-place.ts";
import type { ReductionMethod, ReductionModel } from "./model.ts";
import { type ModelContent, writeModel } from "./model-bytes.ts";
import { emptyGraph, graphOf, nearest } from "./neighbours.ts";
import { startProgress } from "./progress.ts";

/** Neighbours that a place is made of: of 3 to 15 these left most of the digits among what is like them. */
const NEIGHBOURS = 3;

export class PlacingModel implements ReductionModel {
  readonly method: ReductionMethod;
  readonly dimension: number;
  readonly target: number;
  readonly #vectors: Float32Array;
  readonly #places: Float32Array;
  #graph: HnswGraph | undefined;

  /** `first` are the fitted vectors, `second` their places; `graph` holds the vectors by their row. */
  constructor({ method, dimension, target, first, second }: Omit<ModelContent, "rows">, graph?: HnswGraph) {
    this.method = method;
    this.dimension = dimension;
    this.target = target;
    this.#vectors = first;
    this.#places = second;
    this.#graph = graph;
  }

  async prepare(): Promise<void> {
    this.#graph ??= await graphOf(this.#vectors, this.dimension, startProgress({}));
  }

  reduce(vectors: Float32Array): Float32Array {
    const { dimension, target } = this;
    const count = countVectors(vectors, dimension);
    this.#graph ??= this.#graphAtOnce();
    const reduced = new Float32Array(count * target);
    for (let row = 0; row < count; row++) {
      const vector = vectors.subarray(row * dimension, (row + 1) * dimension);
      const { ids, distances } = nearest(this.#graph, vector, NEIGHBOURS);
      const places = Array.from(ids, (id) => {
        return this.#places.subarray(Number(id) * target, (Number(id) + 1) * target);
      });
      reduced.set(medianPlace(places, sharesOf(distances)), row * target);
    }
    return reduced;
  }

  encode(): Uint8Array<ArrayBuffer> {
    const { method, dimension, target } = this;
    const rows = this.#vectors.length / dimension;
    return writeModel({ method, dimension, target, rows, first: this.#vectors, second: this.#places });
  }

  #graphAtOnce(): HnswGraph {
    const graph = emptyGraph(this.dimension);
    for (let row = 0; row * this.dimension < this.#vectors.length; row++) {
      graph.add(row, this.#vectors.subarray(row * this.dimension, (row + 1) * this.dimension));
    }
    return graph;
  }
}

/** Shares that add up to 1, by the inverse square of the distance; all to those at no distance where there are any. */
function sharesOf(distances: Float32Array): Float64Array {
  const nearest = distances[0] ?? 0;
  const shares = Float64Array.from(distances, (distance) => {
    return nearest === 0 ? Number(distance === 0) : (nearest / distance) ** 2;
  });
  const sum = shares.reduce((all, share) => all + share, 0);
  return shares.map((share) => share / sum);
}
