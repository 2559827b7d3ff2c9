/** The contract's rules for an index in plain JavaScript: every record looked at, nothing shared with the product. */

export interface Known {
  vector: number[];
  metadata: Record<string, unknown>;
}

export interface Expected {
  id: number;
  /** What results are ordered by, smallest first. */
  key: number;
  distance: number;
}

export type Distance = "cosine" | "l2";

export class OracleIndex {
  readonly records: Map<number, Known>;
  readonly #distance: Distance;

  constructor(distance: Distance, records = new Map<number, Known>()) {
    this.#distance = distance;
    this.records = records;
  }

  copy(): OracleIndex {
    return new OracleIndex(this.#distance, new Map(this.records));
  }

  search(query: number[], passes: (known: Known, id: number) => boolean = () => true): Expected[] {
    return this.#rank(passes, ({ vector }) => {
      const distance = this.#between(query, vector);
      return { key: distance, distance };
    });
  }

  searchWithNegatives(positive: number[], negatives: number[][]): Expected[] {
    const similarity = (distance: number) =>
      this.#distance === "cosine" ? 1 - distance : 1 / (1 + distance);
    return this.#rank(
      () => true,
      ({ vector }) => {
        const distance = this.#between(positive, vector);
        const sum = negatives.reduce((all, negative) => all + similarity(this.#between(negative, vector)), 0);
        const penalty = negatives.length === 0 ? 0 : (0.5 / negatives.length) * sum;
        return { key: penalty - similarity(distance), distance };
      },
    );
  }

  #rank(
    passes: (known: Known, id: number) => boolean,
    measure: (known: Known) => Omit<Expected, "id">,
  ): Expected[] {
    return [...this.records]
      .filter(([id, known]) => passes(known, id))
      .map(([id, known]) => ({ id, ...measure(known) }))
      .sort((a, b) => a.key - b.key);
  }

  #between(a: number[], b: number[]): number {
    const sum = (term: (i: number) => number) => a.reduce((all, _, i) => all + term(i), 0);
    if (this.#distance === "l2") return Math.hypot(...a.map((x, i) => x - (b[i] as number)));
    const dot = (x: number[], y: number[]) => sum((i) => (x[i] as number) * (y[i] as number));
    return 1 - dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  }
}
