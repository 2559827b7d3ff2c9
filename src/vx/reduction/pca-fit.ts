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
  const target = settings.adaptive ? componentsFor(eigen.values, settings.minVariance) : settings.target;
  const components = new Float32Array(withSigns(await eigen.vectors(target), dimension));
  return new PcaModel({ dimension, target, first: new Float32Array(mean), second: components });
}

/** The fewest components that explain this share of all variance. */
export function componentsFor(variances: Float64Array, share: number): number {
  const total = variances.reduce((sum, value) => sum + Math.max(0, value), 0);
  let explained = 0;
  for (const [i, value] of variances.entries()) {
    explained += Math.max(0, value);
    // Rounding alone must not ask for a component that explains nothing.
    if (explained >= share * total * (1 - 1e-9)) return i + 1;
  }
  return variances.length;
}

function withSigns(components: Float64Array, dimension: number): Float64Array {
  for (let from = 0; from < components.length; from += dimension) {
    const row = components.subarray(from, from + dimension);
    let largest = 0;
    for (const x of row) if (Math.abs(x) > Math.abs(largest)) largest = x;
    if (largest < 0) for (let i = 0; i < dimension; i++) row[i] = -(row[i] as number);
  }
  return components;
}
