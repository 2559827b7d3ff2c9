/**
 * Fits t-SNE and UMAP, which have all but the layout in common: a sample, its principal components to begin with, its
 * nearest neighbours, and the model that places everything else among it. Called by fit.ts.
 */
import { MAX_EXACT_FITTED, MAX_EXACT_PRODUCTS, MAX_FITTED, MAX_MODEL_BYTES } from "./limits.ts";
import type { ReductionSettings } from "./model.ts";
import { graphOf, nearestRows } from "./neighbours.ts";
import { fitPca } from "./pca-fit.ts";
import { PlacingModel } from "./placing-model.ts";
import type { Progress } from "./progress.ts";
import { randomOf, sampleOf } from "./random.ts";
import { layOutByTsne, MAX_TREE_TARGET, TSNE_NEIGHBOURS } from "./tsne-fit.ts";
import { layOutByUmap, UMAP_NEIGHBOURS } from "./umap-fit.ts";

const SEED = 42;

export async function fitPlacing(
  vectors: Float32Array,
  dimension: number,
  settings: ReductionSettings,
  progress: Progress,
): Promise<PlacingModel> {
  const { method } = settings;
  const sample = sampleRows(vectors, dimension, MAX_FITTED);
  const pca = await fitPca(sample, dimension, settings, progress.part(0, 0.1));
  const { target } = pca;
  const isTsne = method === "tsne";
  const fitted = sampleRows(sample, dimension, mostFitted(dimension, target, isTsne));
  const count = fitted.length / dimension;
  const places = pca.reduce(fitted);
  const graph = await graphOf(fitted, dimension, progress.part(0.1, 0.3));
  const k = Math.min(isTsne ? TSNE_NEIGHBOURS : UMAP_NEIGHBOURS, count - 1);
  const nearest = await nearestRows(graph, fitted, k, progress.part(0.3, 0.4));
  await (isTsne ? layOutByTsne : layOutByUmap)(places, target, nearest, progress.part(0.4, 1));
  // Who called may change its own afterwards.
  const kept = fitted === vectors ? fitted.slice() : fitted;
  return new PlacingModel({ method, dimension, target, first: kept, second: places }, graph);
}

/** How many vectors may be laid out. */
function mostFitted(dimension: number, target: number, isTsne: boolean): number {
  const most = Math.min(MAX_FITTED, Math.floor(MAX_MODEL_BYTES / (4 * (dimension + target))));
  if (!isTsne || target <= MAX_TREE_TARGET) return most;
  return Math.min(most, MAX_EXACT_FITTED, Math.floor(Math.sqrt(MAX_EXACT_PRODUCTS / target)));
}

/** So many of the vectors, or all. */
function sampleRows(vectors: Float32Array, dimension: number, most: number): Float32Array {
  const count = vectors.length / dimension;
  if (count <= most) return vectors;
  const rows = new Float32Array(most * dimension);
  for (const [i, row] of sampleOf(count, most, randomOf(SEED)).entries()) {
    rows.set(vectors.subarray(row * dimension, (row + 1) * dimension), i * dimension);
  }
  return rows;
}
