/**
 * Fits PCA by the covariance's eigenvectors. Called by fit.ts, and for t-SNE and UMAP, whose layouts begin with the first
 * components. Signs are those of scikit-learn's: the entry of a component that is largest is positive.
 */
import type { ReductionSettings } from "./model.ts";
import { PcaModel } from "./pca-model.ts";
import type { Progress } from "./progress.ts";
import { symmetricEigen } from "./symmetric-eigen.ts";

export interface FittedPca {
  model: PcaModel;
  /** Along each component, largest first; with the last it is all the variance there is. */
  variances: Float64Array;
}

export async function fitPca(
  vectors: Float32Array,
  dimension: number,
  settings: Omit<ReductionSettings, "method">,
  progress: Progress,
): Promise<FittedPca> {
  const mean = meanOf(vectors, dimension);
  const covariance = await covarianceOf(vectors, dimension, mean, progress);
  const { values, vectors: vectorsOf } = await symmetricEigen(covariance, dimension, progress);
  const target = settings.adaptive ? componentsFor(values, settings.minVariance) : settings.target;
  const components = Float32Array.from(withSigns(vectorsOf(target), dimension));
  return {
    model: new PcaModel({ dimension, target, first: Float32Array.from(mean), second: components }),
    variances: values,
  };
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

function meanOf(vectors: Float32Array, dimension: number): Float64Array {
  const mean = new Float64Array(dimension);
  for (let at = 0; at < vectors.length; ) {
    for (let i = 0; i < dimension; i++, at++) mean[i] = (mean[i] as number) + (vectors[at] as number);
  }
  const count = vectors.length / dimension;
  return mean.map((sum) => sum / count);
}

async function covarianceOf(vectors: Float32Array, n: number, mean: Float64Array, progress: Progress) {
  const covariance = new Float64Array(n * n);
  const centred = new Float64Array(n);
  const divisor = vectors.length / n - 1;
  for (let start = 0; start < vectors.length; start += n) {
    for (let i = 0; i < n; i++) centred[i] = (vectors[start + i] as number) - (mean[i] as number);
    for (let i = 0; i < n; i++) {
      const x = (centred[i] as number) / divisor;
      for (let j = i, at = i * n + i; j < n; j++, at++)
        covariance[at] = (covariance[at] as number) + x * (centred[j] as number);
    }
    await progress.at(start / vectors.length);
  }
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++) covariance[i * n + j] = covariance[j * n + i] as number;
  return covariance;
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
