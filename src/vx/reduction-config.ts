/**
 * The part of the Config that says how vectors are reduced: read, made into what a new index keeps, and held against what a
 * stored one has. Called by config.ts, and by the engine when an index opens.
 */
import { checkWhole } from "./arguments.ts";
import type { Config } from "./config.ts";
import { DEFAULT_FIT_AFTER, MAX_FIT_AFTER } from "./engine/limits.ts";
import { VxError, wrongConfig } from "./errors.ts";
import { MAX_DIMENSION } from "./hnsw/limits.ts";
import { MAX_REDUCED_DIMENSION } from "./reduction/limits.ts";
import type { ReductionMethod } from "./reduction/model.ts";
import { type ReductionFacts, storedShare } from "./storage/reduction-facts.ts";

/** What was asked for; undefined where the caller says nothing. */
export interface ReductionWish {
  enabled: boolean | undefined;
  method: ReductionMethod | undefined;
  target: number | undefined;
  adaptive: boolean | undefined;
  minVariance: number | undefined;
  fitAfter: number | undefined;
}

/** By the names of the seed, in lower case. */
const methods = new Map<string, ReductionMethod>([
  ["pca", "pca"],
  ["tsne", "tsne"],
  ["umap", "umap"],
]);

/** @throws VxError `invalid_request` */
export function readReduction(config: Config): ReductionWish {
  const { dimension, dimReductionMethod, dimReductionTarget, dimReductionMinVariance, fitAfter } = config;
  if (config.enableDimReduction === true && dimension !== undefined && dimension > MAX_REDUCED_DIMENSION) {
    throw wrongConfig(
      `dimension is ${dimension}; vectors of at most ${MAX_REDUCED_DIMENSION} numbers can be reduced`,
    );
  }
  const method = methods.get(String(dimReductionMethod).toLowerCase());
  if (dimReductionMethod !== undefined && method === undefined) {
    throw wrongConfig('dimReductionMethod is "PCA", "TSNE" or "UMAP"');
  }
  if (dimReductionTarget !== undefined) {
    checkWhole("Config: dimReductionTarget", dimReductionTarget, 1, dimension ?? MAX_DIMENSION);
  }
  if (
    dimReductionMinVariance !== undefined &&
    !(dimReductionMinVariance >= 0 && dimReductionMinVariance <= 1)
  ) {
    throw wrongConfig(
      `dimReductionMinVariance is ${dimReductionMinVariance}; it must be a number from 0 to 1`,
    );
  }
  if (fitAfter !== undefined) checkWhole("Config: fitAfter", fitAfter, 1, MAX_FIT_AFTER);
  return {
    enabled: config.enableDimReduction,
    method,
    target: dimReductionTarget,
    adaptive: config.dimReductionAdaptive,
    minVariance: dimReductionMinVariance === undefined ? undefined : storedShare(dimReductionMinVariance),
    fitAfter,
  };
}

/** What a new index keeps; undefined where vectors are not reduced. @throws VxError `invalid_request` */
export function newReduction(wish: ReductionWish, dimension: number): ReductionFacts | undefined {
  if (wish.enabled !== true) return undefined;
  const { method = "pca", target = Math.max(1, Math.floor(dimension / 2)), adaptive = false } = wish;
  if (target > dimension) {
    throw wrongConfig(`dimReductionTarget is ${target}; vectors have ${dimension} numbers`);
  }
  const { minVariance = 0.95, fitAfter = DEFAULT_FIT_AFTER } = wish;
  return { method, target, adaptive, minVariance, fitAfter: Math.max(fitAfter, 2 * target) };
}

/**
 * What is stored wins, but nobody who asked for something else is to believe that he has it.
 * @throws VxError `invalid_request`
 */
export function checkReduction(wish: ReductionWish, stored: ReductionFacts | undefined): void {
  const { enabled } = wish;
  if (enabled !== undefined && enabled !== (stored !== undefined)) {
    const [has, asked] = enabled ? ["does not reduce", "true"] : ["reduces", "false"];
    throw new VxError("invalid_request", `The stored index ${has} vectors; enableDimReduction is ${asked}`);
  }
  if (stored === undefined) return;
  const fitAfter = wish.fitAfter === undefined ? undefined : Math.max(wish.fitAfter, 2 * stored.target);
  for (const [name, asked] of Object.entries({ ...wish, fitAfter })) {
    const kept = stored[name as keyof ReductionFacts];
    if (name === "enabled" || asked === undefined || asked === kept) continue;
    throw new VxError("invalid_request", `The stored index's reduction has ${name} ${kept}, not ${asked}`);
  }
}
