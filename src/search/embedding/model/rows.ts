/**
 * Texts as rows of a model's input, and the rows' embeddings as those of the texts. Used by onnx-model. A text that is longer
 * than a row is read by windows; its embedding is the mean of theirs, each by its length. Rows of like length run together.
 */
import { MAX_BATCH_TEXTS, MAX_ROW_PLACES, MAX_RUN_PLACES, MAX_WINDOWS } from "../limits.ts";
import type { Tokenizer } from "../tokens/tokenizer.ts";

export interface Row {
  /** Which text it is of. */
  text: number;
  ids: readonly number[];
}

/** At least one row a text, of at least one id. */
export function toRows(tokenizer: Tokenizer, texts: readonly string[]): Row[] {
  const { start, end, padding } = tokenizer;
  const room = Math.min(tokenizer.maxPlaces, MAX_ROW_PLACES) - start.length - end.length;
  return texts.flatMap((text, index) => {
    const ids = tokenizer.encode(text);
    // A model can't be asked about nothing.
    if (ids.length === 0 && start.length + end.length === 0) ids.push(padding);
    const count = Math.min(MAX_WINDOWS, Math.max(1, Math.ceil(ids.length / room)));
    return Array.from({ length: count }, (_, window) => ({
      text: index,
      ids: [...start, ...ids.slice(window * room, (window + 1) * room), ...end],
    }));
  });
}

/** The rows in runs of bounded size, the short ones first. */
export function toRuns(rows: readonly Row[]): Row[][] {
  const runs: Row[][] = [];
  let run: Row[] = [];
  for (const row of rows.toSorted((a, b) => a.ids.length - b.ids.length)) {
    // Sorted, so that this row would be the run's longest.
    const isFull = run.length === MAX_BATCH_TEXTS || (run.length + 1) * row.ids.length > MAX_RUN_PLACES;
    if (run.length > 0 && isFull) {
      runs.push(run);
      run = [];
    }
    run.push(row);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** Gathers rows' embeddings into those of `count` texts. */
export class TextEmbeddings {
  readonly #sums: Float32Array;
  readonly #dimension: number;

  constructor(count: number, dimension: number) {
    this.#dimension = dimension;
    this.#sums = new Float32Array(count * dimension);
  }

  /** `embedding`: of the row, of any length; its direction counts as much as the row is long, none does not. */
  add({ text, ids }: Row, embedding: Float32Array): void {
    const weight = ids.length / lengthOf(embedding);
    if (!Number.isFinite(weight)) return;
    const offset = text * this.#dimension;
    for (let at = 0; at < embedding.length; at++) {
      this.#sums[offset + at] = (this.#sums[offset + at] as number) + weight * (embedding[at] as number);
    }
  }

  /** Every embedding at unit length. A text that the model gave no direction gets the first axis, which is near to nothing. */
  finish(): Float32Array {
    for (let offset = 0; offset < this.#sums.length; offset += this.#dimension) {
      const one = this.#sums.subarray(offset, offset + this.#dimension);
      const length = lengthOf(one);
      if (length > 0 && length < Number.POSITIVE_INFINITY) {
        for (let at = 0; at < one.length; at++) one[at] = (one[at] as number) / length;
      } else {
        one.fill(0);
        one[0] = 1;
      }
    }
    return this.#sums;
  }
}

function lengthOf(vector: Float32Array): number {
  let squares = 0;
  for (const value of vector) squares += value * value;
  return Math.sqrt(squares);
}
