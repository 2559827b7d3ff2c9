/**
 * A fitted PCA: what is left of a vector on the principal components, the mean taken off. Made by pca-fit and decodeModel.
 * Jolliffe, "Principal Component Analysis", 2002, chapter 1.
 */
import { countVectors } from "./checked-vectors.ts";
import type { ReductionModel } from "./model.ts";
import { type ModelContent, writeModel } from "./model-bytes.ts";

export class PcaModel implements ReductionModel {
  readonly method = "pca";
  readonly dimension: number;
  readonly target: number;
  readonly #mean: Float32Array;
  readonly #components: Float32Array;

  /** `first` is the mean, `second` the components. */
  constructor({ dimension, target, first, second }: Omit<ModelContent, "method" | "rows">) {
    this.dimension = dimension;
    this.target = target;
    this.#mean = first;
    this.#components = second;
  }

  async prepare(): Promise<void> {}

  reduce(vectors: Float32Array): Float32Array {
    const { dimension, target } = this;
    const count = countVectors(vectors, dimension);
    const reduced = new Float32Array(count * target);
    const centred = new Float32Array(dimension);
    for (let row = 0; row < count; row++) {
      const start = row * dimension;
      for (let i = 0; i < dimension; i++)
        centred[i] = (vectors[start + i] as number) - (this.#mean[i] as number);
      for (let component = 0; component < target; component++) {
        let sum = 0;
        const from = component * dimension;
        for (let i = 0; i < dimension; i++)
          sum += (centred[i] as number) * (this.#components[from + i] as number);
        reduced[row * target + component] = sum;
      }
    }
    return reduced;
  }

  encode(): Uint8Array<ArrayBuffer> {
    const { method, dimension, target } = this;
    return writeModel({ method, dimension, target, rows: 0, first: this.#mean, second: this.#components });
  }
}
