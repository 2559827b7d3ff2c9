/**
 * Fits a model to vectors. Called by the engine, on whatever thread it runs; long work is done in turns, so that others of
 * that thread go on. The same vectors and settings give the same model.
 */
import { VxError } from "../errors.ts";
import { checkInteger } from "../hnsw/arguments.ts";
import { checkFinite, checkLength } from "./checked-vectors.ts";
import { CHECKED_NUMBERS, MAX_REDUCED_DIMENSION, MIN_FITTED, PRODUCTS_A_LOOK } from "./limits.ts";
import type { ReductionModel, ReductionSettings } from "./model.ts";
import { fitPca } from "./pca-fit.ts";
import { fitPlacing } from "./placing-fit.ts";
import { type Progress, startProgress } from "./progress.ts";

export interface FitOptions {
  /** Called with 0 to 1, now and then, never with less than before. */
  onProgress?(fraction: number): void;
  /** Aborted, `fitModel` rejects with its reason, a turn later at most. */
  signal?: AbortSignal;
}

export interface Fitted {
  model: ReductionModel;
  /** The same vectors, reduced: row-major [count, target]. */
  reduced: Float32Array;
}

/**
 * Fits to row-major [count, dimension] vectors, which nobody may change meanwhile.
 * @throws VxError `invalid_request` (settings), `invalid_vector`; DimensionMismatchError; the signal's reason
 */
export async function fitModel(
  vectors: Float32Array,
  dimension: number,
  settings: ReductionSettings,
  options: FitOptions = {},
): Promise<Fitted> {
  checkInteger("The dimension of vectors that are to be reduced", dimension, 1, MAX_REDUCED_DIMENSION);
  checkInteger("The target of dimensionality reduction", settings.target, 1, dimension);
  if (!(settings.minVariance >= 0 && settings.minVariance <= 1)) {
    throw new VxError(
      "invalid_request",
      `The variance to explain is ${settings.minVariance}; it must be 0 to 1`,
    );
  }
  checkLength(vectors, dimension);
  const count = vectors.length / dimension;
  checkInteger("The number of vectors to fit to", count, MIN_FITTED, Number.MAX_SAFE_INTEGER);
  const progress = startProgress(options);
  for (let at = 0; at < vectors.length; at += CHECKED_NUMBERS) {
    checkFinite(vectors.subarray(at, at + CHECKED_NUMBERS));
    await progress.at(0);
  }
  const model = await (settings.method === "pca" ? fitPca : fitPlacing)(
    vectors,
    dimension,
    settings,
    progress.part(0, 0.9),
  );
  const reduced = await reduceInTurns(model, vectors, progress.part(0.9, 1));
  options.onProgress?.(1);
  return { model, reduced };
}

async function reduceInTurns(model: ReductionModel, vectors: Float32Array, progress: Progress) {
  const { dimension, target } = model;
  const count = vectors.length / dimension;
  const reduced = new Float32Array(count * target);
  const isProjected = model.method === "pca";
  const step = isProjected ? Math.max(1, Math.floor(PRODUCTS_A_LOOK / (dimension * target))) : 1;
  for (let row = 0; row < count; row += step) {
    const some = vectors.subarray(row * dimension, Math.min(count, row + step) * dimension);
    reduced.set(model.reduce(some), row * target);
    await progress.at(row / count);
  }
  return reduced;
}
