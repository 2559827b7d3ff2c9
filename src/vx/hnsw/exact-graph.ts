/**
 * The exact twin of HnswGraph: measures every vector, in double precision. The oracle of the tests and of the
 * benchmark's recall; nothing of it is shared with the kernel but the checks of arguments.
 */
import { indexFull } from "../errors.ts";
import { checkDimension, checkedId, checkedOptions, checkInteger, invalidVector } from "./arguments.ts";
import type {
  GraphOptions,
  Metric,
  Neighbours,
  ScoredNeighbours,
  SearchOptions,
  VectorGraph,
} from "./graph.ts";
import { MAX_EF, MAX_NEGATIVES, MAX_SQUARE, MIN_SQUARE } from "./limits.ts";
import { scoreOf } from "./negatives.ts";

export class ExactGraph implements VectorGraph {
  readonly dimension: number;
  readonly metric: Metric;
  readonly #maxElements: number;
  readonly #slots = new Map<bigint, number>();
  readonly #ids: (bigint | undefined)[] = [];
  readonly #vectors: Float32Array[] = [];
  readonly #freeSlots: number[] = [];

  constructor(options: GraphOptions) {
    const { dimension, metric, maxElements } = checkedOptions(options);
    this.dimension = dimension;
    this.metric = metric;
    this.#maxElements = maxElements;
  }

  get count(): number {
    return this.#slots.size;
  }

  get slotLimit(): number {
    return this.#ids.length;
  }

  add(id: bigint | number, vector: Float32Array): number {
    const key = checkedId(id);
    this.#check(vector);
    if (!this.#slots.has(key) && this.#maxElements > 0 && this.count >= this.#maxElements)
      throw indexFull(this.#maxElements);
    const slot = this.#freeSlots.pop() ?? this.#ids.length;
    this.delete(key);
    this.#slots.set(key, slot);
    this.#ids[slot] = key;
    this.#vectors[slot] = vector.slice();
    return slot;
  }

  delete(id: bigint | number): boolean {
    const key = checkedId(id);
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    this.#slots.delete(key);
    this.#ids[slot] = undefined;
    this.#freeSlots.push(slot);
    return true;
  }

  slotOf(id: bigint | number): number | undefined {
    return this.#slots.get(checkedId(id));
  }

  get(id: bigint | number): Float32Array | undefined {
    const slot = this.slotOf(id);
    return slot === undefined ? undefined : this.#vectors[slot]?.slice();
  }

  ids(): BigUint64Array {
    return BigUint64Array.from(this.#ids.filter((id) => id !== undefined));
  }

  search(query: Float32Array, k: number, { allow }: SearchOptions = {}): Neighbours {
    this.#check(query);
    checkInteger("k", k, 1, MAX_EF);
    const ranking = this.#rank(k, (vector) => this.#distance(query, vector), allow);
    return {
      ids: BigUint64Array.from(ranking, ({ id }) => id),
      distances: Float32Array.from(ranking, ({ key }) => key),
    };
  }

  searchNegatives(positive: Float32Array, negatives: Float32Array[], k: number): ScoredNeighbours {
    for (const vector of [positive, ...negatives]) this.#check(vector);
    checkInteger("k", k, 1, MAX_EF);
    checkInteger("The number of negatives", negatives.length, 0, MAX_NEGATIVES);
    const score = (vector: Float32Array) => {
      const toNegatives = negatives.map((negative) => this.#distance(negative, vector));
      return scoreOf(this.metric, this.#distance(positive, vector), toNegatives);
    };
    const ranking = this.#rank(k, (vector) => -score(vector));
    return {
      ids: BigUint64Array.from(ranking, ({ id }) => id),
      distances: Float32Array.from(ranking, ({ vector }) => this.#distance(positive, vector)),
      scores: Float32Array.from(ranking, ({ key }) => -key),
    };
  }

  /** The k smallest keys over all vectors allowed; equal keys by slot. */
  #rank(k: number, keyOf: (vector: Float32Array) => number, allow?: { has(slot: number): boolean }) {
    const ranking: { id: bigint; vector: Float32Array; key: number }[] = [];
    for (const [slot, id] of this.#ids.entries()) {
      const vector = this.#vectors[slot];
      if (id === undefined || vector === undefined || allow?.has(slot) === false) continue;
      ranking.push({ id, vector, key: keyOf(vector) });
    }
    return ranking.sort((a, b) => a.key - b.key).slice(0, k);
  }

  #distance(a: Float32Array, b: Float32Array): number {
    if (this.metric === "l2") return Math.sqrt(sumOver(a, b, (x, y) => (x - y) ** 2));
    const lengths = Math.sqrt(sumOver(a, a, (x, y) => x * y) * sumOver(b, b, (x, y) => x * y));
    return Math.min(2, Math.max(0, 1 - sumOver(a, b, (x, y) => x * y) / lengths));
  }

  #check(vector: Float32Array): void {
    checkDimension(vector, this.dimension);
    const square = sumOver(vector, vector, (x, y) => x * y);
    if (!(square <= MAX_SQUARE) || (this.metric === "cosine" && !(square > MIN_SQUARE))) {
      throw invalidVector(this.metric);
    }
  }
}

function sumOver(a: Float32Array, b: Float32Array, term: (x: number, y: number) => number): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += term(a[i] ?? 0, b[i] ?? 0);
  return sum;
}
