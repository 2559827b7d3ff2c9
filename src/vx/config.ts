/**
 * What an index is made and opened with: the seed's Config in camelCase, with its defaults. Read by Vx, which sends the
 * settings made of it to the engine.
 */
import { givenFields } from "./config-fields.ts";
import { VxError, wrongConfig } from "./errors.ts";
import type { Metric, Quantization } from "./hnsw/graph.ts";
import { MAX_DIMENSION, MAX_EF, MAX_M, MIN_M } from "./hnsw/limits.ts";
import { MAX_INTERVAL_MS } from "./limits.ts";
import { type ReductionWish, readReduction } from "./reduction-config.ts";
import { MIN_KEY_BYTES } from "./storage/limits.ts";

/** Milliseconds, or a number with its unit: "250ms", "30s", "5m", "1h", "1.5h", "1h30m". 0 for never. */
export type Duration = number | string;

export interface Config {
  /** Numbers in a vector. Of a stored index what is stored counts, and another one given is refused. */
  dimension?: number | undefined;
  /** Folder of the index; ":memory:" (default) keeps nothing. */
  storagePath?: string | undefined;
  /** "cosine" (default) or "l2", in any case. Of a stored index what is stored counts, and another one given is refused. */
  distance?: Metric | "Cosine" | "L2" | undefined;
  /** Most vectors; 0 (default) for no limit but memory. */
  maxElements?: number | undefined;
  /** Links a vector in a new index. Default 16. */
  hnswM?: number | undefined;
  /** Candidates of an insertion in a new index. Default 200. */
  hnswEfConstruct?: number | undefined;
  /** Candidates of a search. Default 100. */
  hnswEfSearch?: number | undefined;
  /**
   * "int8" (default): searches walk by numbers rounded to a byte, held beside the vectors, and rank by the vectors. "none": they
   * walk by the vectors alone, slower and in less memory. Nothing stored depends on it.
   */
  quantization?: Quantization | undefined;
  /** Records of a batch whose metadata is written in one go. Default 1000. */
  batchSize?: number | undefined;
  /** How often the index is written as a whole, so that it opens fast; every change is durable at once. Default 5m. */
  persistInterval?: Duration | undefined;
  /** Default 1h. */
  backupInterval?: Duration | undefined;
  /** Folder of scheduled backups; default `backups` in the index's folder. In memory: none, and no schedule. */
  backupPath?: string | undefined;
  /** Default true. */
  backupCompression?: boolean | undefined;
  /** Scheduled backups kept, and what they and others go on from. Default 5. */
  maxBackups?: number | undefined;
  /** Default false; with a key it must be given. */
  encryptionEnabled?: boolean | undefined;
  /** At least 32 bytes. */
  encryptionKey?: string | undefined;
  /**
   * Vectors are searched with fewer dimensions, once enough are there to fit a model to. Of a stored index what is stored
   * counts, here and in the fields below, and another value given is refused. Default false.
   */
  enableDimReduction?: boolean | undefined;
  /** "PCA" (default), "TSNE" or "UMAP", in any case. */
  dimReductionMethod?: string | undefined;
  /** Numbers in a reduced vector. Default: half the dimension. */
  dimReductionTarget?: number | undefined;
  /**
   * The variance decides how many numbers are left, with distance "cosine" at least two: of vectors of one number it tells no
   * more than whether their signs are the same. Default false.
   */
  dimReductionAdaptive?: boolean | undefined;
  /** Share of the variance that an adaptive reduction keeps, 0 to 1. Default 0.95. */
  dimReductionMinVariance?: number | undefined;
  /** Vectors that the model waits for; until then searches are exact. Default 256; at least twice the target. */
  fitAfter?: number | undefined;
}

/** A Config with every default filled in. Dimension and distance stay open where they were not given. */
export interface EngineSettings {
  dimension: number | undefined;
  distance: Metric | undefined;
  /** Undefined for an index in memory. */
  storagePath: string | undefined;
  maxElements: number;
  hnswM: number;
  hnswEfConstruct: number;
  hnswEfSearch: number;
  quantization: Quantization;
  batchSize: number;
  persistIntervalMs: number;
  backupIntervalMs: number;
  backupPath: string | undefined;
  backupCompression: boolean;
  maxBackups: number;
  /** Undefined for an index that is not encrypted. */
  encryptionKey: string | undefined;
  reduction: ReductionWish;
  /** False: only an index that is there is opened. */
  create: boolean;
}

export const IN_MEMORY = ":memory:";

/** @throws VxError `invalid_request`, `encryption_key_invalid` */
export function readConfig(given: Config, create: boolean): EngineSettings {
  const config = givenFields(given);
  const storagePath = config.storagePath === IN_MEMORY ? undefined : config.storagePath;
  if (storagePath === "") throw wrongConfig("storagePath is empty");
  if (config.backupPath === "") throw wrongConfig("backupPath is empty");
  const { dimension } = config;
  return {
    dimension:
      dimension === undefined ? undefined : integer(config, "dimension", dimension, 1, MAX_DIMENSION),
    distance: readMetric(config),
    storagePath,
    maxElements: integer(config, "maxElements", 0, 0),
    hnswM: integer(config, "hnswM", 16, MIN_M, MAX_M),
    hnswEfConstruct: integer(config, "hnswEfConstruct", 200, 1, MAX_EF),
    hnswEfSearch: integer(config, "hnswEfSearch", 100, 1, MAX_EF),
    quantization: readQuantization(config),
    batchSize: integer(config, "batchSize", 1000, 1),
    persistIntervalMs: parseDuration("persistInterval", config.persistInterval ?? "5m"),
    backupIntervalMs: parseDuration("backupInterval", config.backupInterval ?? "1h"),
    backupPath: config.backupPath ?? (storagePath && `${storagePath.replace(/[\\/]+$/, "")}/backups`),
    backupCompression: config.backupCompression ?? true,
    maxBackups: integer(config, "maxBackups", 5, 1),
    encryptionKey: readKey(config),
    reduction: readReduction(config),
    create,
  };
}

const metrics = new Map<string, Metric>([
  ["cosine", "cosine"],
  ["l2", "l2"],
]);

function readMetric({ distance }: Config): Metric | undefined {
  if (distance === undefined) return undefined;
  const metric = metrics.get(String(distance).toLowerCase());
  if (metric === undefined) throw wrongConfig('distance is "cosine" or "l2"');
  return metric;
}

function readQuantization({ quantization = "int8" }: Config): Quantization {
  if (quantization === "int8" || quantization === "none") return quantization;
  throw wrongConfig('quantization is "int8" or "none"');
}

function integer(
  config: Config,
  name:
    | "dimension"
    | "maxElements"
    | "hnswM"
    | "hnswEfConstruct"
    | "hnswEfSearch"
    | "batchSize"
    | "maxBackups",
  byDefault: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const value = config[name] ?? byDefault;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw wrongConfig(`${name} is ${value}; it must be an integer from ${least} to ${most}`);
}

const unitsMs = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

/** Milliseconds of a duration. @throws VxError `invalid_request` */
export function parseDuration(name: string, duration: Duration): number {
  const valueMs = typeof duration === "number" ? duration : durationOf(duration);
  if (valueMs >= 0 && valueMs <= MAX_INTERVAL_MS) return valueMs;
  throw wrongConfig(
    `${name} is ${duration}; it must be a duration such as "5m", or milliseconds, up to 24 days`,
  );
}

/** NaN for a text that is none. */
function durationOf(text: string): number {
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (!/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text)) return Number.NaN;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitsMs.get(unit ?? "") ?? 0), 0);
}

function readKey({ encryptionEnabled, encryptionKey }: Config): string | undefined {
  // Who gives a key and does not say that it is not to be used believes that nothing is stored in the clear.
  if (encryptionKey && encryptionEnabled === undefined)
    throw wrongConfig("encryptionKey is used where encryptionEnabled is true; say true or false");
  if (!encryptionEnabled) return undefined;
  const bytes = new TextEncoder().encode(encryptionKey ?? "").byteLength;
  if (bytes >= MIN_KEY_BYTES) return encryptionKey;
  const found = bytes === 0 ? "and none is given" : `this one has ${bytes}`;
  throw new VxError(
    "encryption_key_invalid",
    `An encryption key has at least ${MIN_KEY_BYTES} bytes, ${found}`,
  );
}
