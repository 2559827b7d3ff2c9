/**
 * Dimensionality reduction as the engine sees it: settings, a fitted model, and a model from its bytes. Made by fit.ts;
 * PCA projects (pca-model), t-SNE and UMAP place what is new among the fitted (placing-model).
 */
import { readModel } from "./model-bytes.ts";
import { PcaModel } from "./pca-model.ts";
import { PlacingModel } from "./placing-model.ts";

export type ReductionMethod = "pca" | "tsne" | "umap";

export interface ReductionSettings {
  method: ReductionMethod;
  /** Numbers wanted in a reduced vector. */
  target: number;
  /** Let the variance decide on the target: as many principal components as explain `minVariance` of it. */
  adaptive: boolean;
  /** A share, 0 to 1. */
  minVariance: number;
  /** Fewest numbers that the variance may decide on, as far as a vector has as many. Default 1. */
  minTarget?: number;
}

/** A fitted model. */
export interface ReductionModel {
  readonly method: ReductionMethod;
  /** Numbers in a vector. */
  readonly dimension: number;
  /** Numbers in a reduced vector, after the adaptive choice. */
  readonly target: number;

  /**
   * Makes in turns what the first `reduce` of a decoded model would otherwise make at once, which for t-SNE and UMAP takes
   * seconds. A model that was just fitted has it.
   */
  prepare(): Promise<void>;

  /**
   * Reduces row-major [count, dimension] to row-major [count, target]; vectors that it was fitted to come to where they were.
   * @throws DimensionMismatchError, VxError `invalid_vector` (not finite)
   */
  reduce(vectors: Float32Array): Float32Array;

  /** Versioned bytes, see model-bytes.ts. */
  encode(): Uint8Array<ArrayBuffer>;
}

/** The model that `encode` wrote. @throws VxError `backup_corrupt` for anything else */
export function decodeModel(bytes: Uint8Array): ReductionModel {
  const content = readModel(bytes);
  return content.method === "pca" ? new PcaModel(content) : new PlacingModel(content);
}
