/**
 * A fitted PCA: what is left of a vector on the principal components, the mean taken off. Made by pca-fit and decodeModel.
 * Jolliffe, "Principal Component Analysis", 2002, chapter 1.
 */
import { countVectors } from "./checked-vectors.ts";
import { Kernel, padded } from "./kernel.ts";
import type { ReductionModel } from "./model.ts";
import { type ModelContent, writeModel } from "./model-bytes.ts";

/** Vectors that are projected at a time. */
const BLOCK_ROWS = 64;

/** The components in a kernel's memory, with room for what is projected. */
interface Projection {
  kernel: Kernel;
  axes: number;
  rows: number;
  out: number;
}

export class PcaModel implements ReductionModel {
  readonly method = "pca";
  readonly dimension: number;
  readonly target: number;
  readonly #mean: Float32Array;
  readonly #components: Float32Array;
  #projection: Projection | undefined;

  /** `first` is the mean, `second` the components. */
  constructor({ dimension, target, first, second }: Omit<ModelContent, "method" | "rows">) {
    this.dimension = dimension;
    this.target = target;
    this.#mean = first;
    this.#components = second;
  }

  async prepare(): Promise<void> {
    this.#projection ??= this.#project();
  }

  reduce(vectors: Float32Array): Float32Array {
    const { dimension, target } = this;
    const count = countVectors(vectors, dimension);
    this.#projection ??= this.#project();
    const { kernel, axes, rows, out } = this.#projection;
    const stride = padded(dimension, 4);
    const reduced = new Float32Array(count * target);
    for (let first = 0; first < count; first += BLOCK_ROWS) {
      const some = Math.min(BLOCK_ROWS, count - first);
      const centred = kernel.floats(rows, some * stride);
      for (let row = 0; row < some; row++) {
        const from = (first + row) * dimension;
        for (let i = 0; i < dimension; i++) {
          centred[row * stride + i] = (vectors[from + i] as number) - (this.#mean[i] as number);
        }
      }
      kernel.loops.project(rows, some, axes, target, stride * 4, out);
      reduced.set(kernel.floats(out, some * target), first * target);
    }
    return reduced;
  }

  #project(): Projection {
    const { dimension, target } = this;
    const kernel = new Kernel();
    const stride = padded(dimension, 4);
    const axes = kernel.take(target * stride * 4);
    for (let i = 0; i < target; i++) {
      const row = this.#components.subarray(i * dimension, (i + 1) * dimension);
      kernel.floats(axes + i * stride * 4, dimension).set(row);
    }
    const rows = kernel.take(BLOCK_ROWS * stride * 4);
    return { kernel, axes, rows, out: kernel.take(BLOCK_ROWS * target * 4) };
  }

  encode(): Uint8Array<ArrayBuffer> {
    const { method, dimension, target } = this;
    return writeModel({ method, dimension, target, rows: 0, first: this.#mean, second: this.#components });
  }
}
