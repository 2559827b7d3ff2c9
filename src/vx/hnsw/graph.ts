/**
 * The vector graph as the engine sees it: ids to vectors, and the nearest of a query. Implemented by HnswGraph (the
 * kernel in WebAssembly) and ExactGraph (brute force, the oracle of the tests).
 *
 * A slot is the dense 32-bit number behind an id. An id that is replaced gets a new slot; a slot whose id
 * was deleted may later serve another id.
 */
import type { SlotSet } from "./slot-set.ts";

export type Metric = "cosine" | "l2";

/** What a walk measures on: int8 rows, ranked again in f32, or the f32 vectors. */
export type Quantization = "int8" | "none";

export interface GraphOptions {
  dimension: number;
  metric: Metric;
  /** Links a slot on upper levels; twice as many on level 0. Default 16. */
  m?: number;
  /** Candidates of an insertion. Default 200. */
  efConstruction?: number;
  /** Candidates of a search that names none. Default 100. */
  efSearch?: number;
  /** Most vectors held; 0 (default) for as many as memory takes. */
  maxElements?: number;
  /** Default "int8". */
  quantization?: Quantization;
  /** Most bytes of memory; by default what wasm32 can address. */
  maxMemoryBytes?: number;
}

/** Results, nearest first. Both arrays belong to the receiver. */
export interface Neighbours {
  ids: BigUint64Array;
  /** Cosine: 1 - similarity. L2: Euclidean. */
  distances: Float32Array;
}

/** Results of a search with negatives, highest score first; distances are from the positive vector. */
export interface ScoredNeighbours extends Neighbours {
  scores: Float32Array;
}

export interface SearchOptions {
  /** Candidates; never fewer than k are used. */
  ef?: number;
  /** Slots that may be found; others are walked through at most. */
  allow?: SlotSet;
}

export interface VectorGraph {
  readonly dimension: number;
  readonly metric: Metric;
  /** Vectors held. */
  readonly count: number;
  /** Every slot is below this; a SlotSet for this graph has this size. */
  readonly slotLimit: number;

  /**
   * Adds a vector, in place of what the id held, and gives its slot. Found by the very next search.
   * @throws DimensionMismatchError, InvalidIDError, VxError `invalid_vector` (not finite, too large for f32, or
   * without direction under cosine), `capacity_exceeded` (the graph is then as it was)
   */
  add(id: bigint | number, vector: Float32Array): number;
  /** False if the id was not there. */
  delete(id: bigint | number): boolean;
  slotOf(id: bigint | number): number | undefined;
  /** A copy of the vector, as it was added. */
  get(id: bigint | number): Float32Array | undefined;
  /** All ids by slot. */
  ids(): BigUint64Array;

  /**
   * The k nearest; fewer only where fewer are held (or allowed).
   * @throws DimensionMismatchError, VxError `invalid_vector`, `invalid_request`
   */
  search(query: Float32Array, k: number, options?: SearchOptions): Neighbours;
  /**
   * The k highest of sim(positive) - (0.5 / n) * sum of sim(negative), over all vectors; sim is 1 - distance
   * under cosine and 1 / (1 + distance) under L2. Without negatives the score is sim(positive).
   */
  searchNegatives(
    positive: Float32Array,
    negatives: Float32Array[],
    k: number,
    options?: Pick<SearchOptions, "ef">,
  ): ScoredNeighbours;
}
