/**
 * How an index reduces its vectors: what it was made with, and keeps for good. Made of the settings by the engine; stored in
 * the headers of files (file-header) and the manifests of backups (manifest).
 */
import type { ReductionMethod, ReductionSettings } from "../reduction/model.ts";

/** `minVariance` has six decimal places, see `storedShare`. */
export interface ReductionFacts extends ReductionSettings {
  /** Vectors from which on a model is fitted. */
  fitAfter: number;
}

/** By their number in headers, less one. */
export const METHODS: readonly ReductionMethod[] = ["pca", "tsne", "umap"];

/** The facts in a value that was stored; undefined if it holds none. */
export function checkedReduction(value: unknown, dimension: number): ReductionFacts | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { method, adaptive, target, minVariance, fitAfter } = value as Record<keyof ReductionFacts, unknown>;
  const known = METHODS.find((one) => one === method);
  if (known === undefined || typeof adaptive !== "boolean") return undefined;
  if (!isInteger(target, 1, dimension) || !isInteger(fitAfter, 1, 0xffffffff)) return undefined;
  if (typeof minVariance !== "number" || !(minVariance >= 0 && minVariance <= 1)) return undefined;
  return { method: known, adaptive, target, minVariance: storedShare(minVariance), fitAfter };
}

/** A share to six decimal places, which come back from a 32-bit float as they went. */
export function storedShare(share: number): number {
  return Math.round(share * 1e6) / 1e6;
}

/** What tells one index's reduction from another's, as a text. */
export function reductionMark(facts: ReductionFacts | undefined): string {
  if (facts === undefined) return "none";
  const { method, adaptive, target, minVariance, fitAfter } = facts;
  return [method, adaptive, target, minVariance, fitAfter].join();
}

function isInteger(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}
