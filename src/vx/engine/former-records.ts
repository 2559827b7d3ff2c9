/**
 * Records as they were before the batch that is being applied: what searches see of them until all of it is. Kept by a
 * Change, and measured one by one: few batches replace many records.
 */
import type { Metric, ScoredNeighbours } from "../hnsw/graph.ts";
import { scoreOf, similarity } from "../hnsw/negatives.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";

export interface FormerRecord {
  id: bigint;
  /** Where the metadata still lies. */
  slot: number;
  vector: Float32Array;
  text: string | undefined;
}

export class FormerRecords {
  readonly #metric: Metric;
  readonly #records = new Map<bigint, FormerRecord>();

  constructor(metric: Metric) {
    this.#metric = metric;
  }

  add(record: FormerRecord): void {
    this.#records.set(record.id, record);
  }

  get(id: bigint): FormerRecord | undefined {
    return this.#records.get(id);
  }

  get all(): Iterable<FormerRecord> {
    return this.#records.values();
  }

  /** All that are allowed, in no order, with the score of a search with these negatives. */
  measure(positive: Float32Array, negatives: Float32Array[], allow: SlotSet | undefined): ScoredNeighbours {
    const records = [...this.#records.values()].filter(({ slot }) => allow === undefined || allow.has(slot));
    const distances = Float32Array.from(records, ({ vector }) => distance(this.#metric, positive, vector));
    const score = (i: number) => {
      const toPositive = distances[i] as number;
      if (negatives.length === 0) return similarity(this.#metric, toPositive);
      const vector = records[i]?.vector as Float32Array;
      const toNegatives = negatives.map((negative) => distance(this.#metric, negative, vector));
      return scoreOf(this.#metric, toPositive, toNegatives);
    };
    return {
      ids: BigUint64Array.from(records, ({ id }) => id),
      distances,
      scores: Float32Array.from(records, (_, i) => score(i)),
    };
  }
}

function distance(metric: Metric, a: Float32Array, b: Float32Array): number {
  let [product, squareA, squareB, difference] = [0, 0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    product += x * y;
    squareA += x * x;
    squareB += y * y;
    difference += (x - y) ** 2;
  }
  if (metric === "l2") return Math.sqrt(difference);
  return Math.min(2, Math.max(0, 1 - product / Math.sqrt(squareA * squareB)));
}
