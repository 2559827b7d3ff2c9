/**
 * Fits PCA by the covariance's eigenvectors. Called by fit.ts, and for t-SNE and UMAP, whose layouts begin with the first
 * components. The entry of a component that is largest is positive, so that its sign is not left to chance.
 */
import { covarianceOf, meanOf } from "./covariance.ts";
import { Kernel } from "./kernel.ts";
import type { ReductionSettings } from "./model.ts";
import { PcaModel } from "./pca-model.ts";
import type { Progress } from "./progress.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

export async function fitPca(
  vectors: Float32Array,
  dimension: number,
  settings: Omit<ReductionSettings, "method">,
  progress: Progress,
): Promise<PcaModel> {
  const kernel = new Kernel();
  const mean = await meanOf(vectors, dimension, progress.part(0, 0.05));
  const covariance = await covarianceOf(kernel, vectors, mean, progress.part(0.05, 0.5));
  const eigen = await symmetricEigen(kernel, covariance, progress.part(0.5, 1));
  const target = settings.adaptive ? adaptiveTarget(eigen.values, settings) : settings.target;
  const components = await withSigns(await eigen.vectors(target), dimension, progress);
  return new PcaModel({ dimension, target, first: new Float32Array(mean), second: components });
}

function adaptiveTarget(
  variances: Float64Array,
  { minVariance, minTarget = 1 }: Pick<ReductionSettings, "minVariance" | "minTarget">,
): number {
  return Math.min(variances.length, Math.max(minTarget, componentsFor(variances, minVariance)));
}

/** The fewest components that explain this share of all variance. */
function componentsFor(variances: Float64Array, share: number): number {
  const total = variances.reduce((sum, value) => sum + Math.max(0, value), 0);
  let explained = 0;
  for (const [i, value] of variances.entries()) {
    explained += Math.max(0, value);
    // Rounding alone must not ask for a component that explains nothing.
    if (explained >= share * total * (1 - 1e-9)) return i + 1;
  }
  return variances.length;
}

async function withSigns(rows: Float64Array, dimension: number, progress: Progress): Promise<Float32Array> {
  const components = new Float32Array(rows.length);
  for (let from = 0; from < rows.length; from += dimension) {
    const row = rows.subarray(from, from + dimension);
    let largest = 0;
    for (const x of row) if (Math.abs(x) > Math.abs(largest)) largest = x;
    components.set(largest < 0 ? row.map((x) => -x) : row, from);
    await progress.at(1);
  }
  return components;
}
