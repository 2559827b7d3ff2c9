/**
 * Records as they were before the batch that is being applied: what searches see of them until all of it is. Kept by a
 * Change, and measured one by one: few batches replace many records.
 */
import type { Metric, ScoredNeighbours } from "../hnsw/graph.ts";
import { scoreOf } from "../hnsw/negatives.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";

export interface FormerRecord {
  id: bigint;
  /** Where the metadata still lies. */
  slot: number;
  vector: Float32Array;
  text: string | undefined;
}

interface Measured extends FormerRecord {
  length: number;
}

export class FormerRecords {
  readonly #metric: Metric;
  readonly #byId = new Map<bigint, Measured>();
  readonly #records: Measured[] = [];

  constructor(metric: Metric) {
    this.#metric = metric;
  }

  add(record: FormerRecord): void {
    const measured = { ...record, length: lengthOf(record.vector) };
    this.#byId.set(record.id, measured);
    this.#records.push(measured);
  }

  get(id: bigint): FormerRecord | undefined {
    return this.#byId.get(id);
  }

  get all(): Iterable<FormerRecord> {
    return this.#records;
  }

  /** The k of highest score among those allowed, in no order; more where scores are equal. */
  best(
    k: number,
    positive: Float32Array,
    negatives: Float32Array[],
    allow: SlotSet | undefined,
  ): ScoredNeighbours {
    const records = this.#records.filter(({ slot }) => allow === undefined || allow.has(slot));
    const toPositive = this.#distances(positive, records);
    const toNegatives = negatives.map((negative) => this.#distances(negative, records));
    const scores = toPositive.map((distance, i) => {
      return scoreOf(
        this.#metric,
        distance,
        toNegatives.map((distances) => distances[i] as number),
      );
    });
    const least = scores.length > k ? (scores.slice().sort()[scores.length - k] as number) : -Infinity;
    const kept = Uint32Array.from(scores.keys()).filter((i) => (scores[i] as number) >= least);
    return {
      ids: BigUint64Array.from(kept, (i) => records[i]?.id as bigint),
      distances: Float32Array.from(kept, (i) => toPositive[i] as number),
      scores: Float32Array.from(kept, (i) => scores[i] as number),
    };
  }

  #distances(query: Float32Array, records: Measured[]): Float64Array {
    const distances = new Float64Array(records.length);
    const queryLength = lengthOf(query);
    for (let i = 0; i < records.length; i++) {
      const { vector, length } = records[i] as Measured;
      if (this.#metric === "l2") distances[i] = Math.sqrt(squareOfDifference(query, vector));
      else distances[i] = Math.min(2, Math.max(0, 1 - product(query, vector) / (queryLength * length)));
    }
    return distances;
  }
}

function lengthOf(vector: Float32Array): number {
  return Math.sqrt(product(vector, vector));
}

function product(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function squareOfDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number);
    sum += difference * difference;
  }
  return sum;
}
