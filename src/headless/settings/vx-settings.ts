/**
 * The settings of the index: every field of its Config as `--vx-*`, and what its API needs. A part of the schema in
 * settings.ts; read by open-index. Those without a default here have the Config's.
 */
import { z } from "zod";
import { type Config, IN_MEMORY } from "../../vx/config.ts";
import { DEFAULT_DIMENSION, MAX_FIT_AFTER } from "../../vx/engine/limits.ts";
import { MAX_DIMENSION, MAX_EF, MAX_M, MIN_M } from "../../vx/hnsw/limits.ts";
import { MAX_REQUESTS_PER_MINUTE } from "../limits.ts";
import { duration, onOff, share, text, wholeNumber } from "./setting-values.ts";

const MAX_COUNT = 2 ** 32;

export const vxSettings = {
  "vx-dimension": wholeNumber(1, MAX_DIMENSION)
    .optional()
    .meta({ value: "count", title: `numbers in a vector (default of a new index: ${DEFAULT_DIMENSION})` }),
  "vx-distance": z
    .preprocess(
      (given) => (typeof given === "string" ? given.toLowerCase() : given),
      z.enum(["cosine", "l2"], "is neither cosine nor l2"),
    )
    .optional()
    .meta({ value: "name", title: "cosine or l2 (default of a new index: cosine)" }),
  "vx-storage-path": text
    .optional()
    .meta({ value: "folder", title: "the index (default: in the data folder); :memory: keeps nothing" }),
  "vx-max-elements": wholeNumber(0, MAX_COUNT)
    .optional()
    .meta({ value: "count", title: "most vectors; 0: any number (default: 0)" }),
  "vx-hnsw-m": wholeNumber(MIN_M, MAX_M)
    .optional()
    .meta({ value: "count", title: "links a vector in the graph (default of a new index: 16)" }),
  "vx-hnsw-ef-construct": wholeNumber(1, MAX_EF)
    .optional()
    .meta({ value: "count", title: "candidates of an insertion (default of a new index: 200)" }),
  "vx-hnsw-ef-search": wholeNumber(1, MAX_EF)
    .optional()
    .meta({ value: "count", title: "candidates of a search (default: 100)" }),
  "vx-quantization": z
    .enum(["int8", "none"], "is neither int8 nor none")
    .optional()
    .meta({ value: "name", title: "int8, or none: less memory, slower searches (default: int8)" }),
  "vx-batch-size": wholeNumber(1, MAX_COUNT).optional().meta({
    value: "count",
    title: "records of a batch whose metadata is written in one go (default: 1000)",
  }),
  "vx-persist-interval": duration
    .optional()
    .meta({ value: "time", title: "how often the index is written as a whole (default: 5m)" }),
  "vx-backup-interval": duration.optional().meta({
    value: "time",
    title: "how often it is backed up; 0: never, as in memory without a path (default: 1h)",
  }),
  "vx-backup-path": text
    .optional()
    .meta({ value: "folder", title: "backups (default: in the index's folder)" }),
  "vx-backup-compression": onOff
    .optional()
    .meta({ value: "on|off", title: "compress scheduled backups (default: on)" }),
  "vx-max-backups": wholeNumber(1, MAX_COUNT)
    .optional()
    .meta({ value: "count", title: "scheduled backups kept (default: 5)" }),
  "vx-encryption-enabled": onOff
    .optional()
    .meta({ title: "encrypt all that the index stores, with the key" }),
  "vx-encryption-key": text.optional().meta({
    value: "key",
    title: "at least 32 bytes; better given by the variable, since other users of the machine see flags",
  }),
  "vx-enable-dim-reduction": onOff
    .optional()
    .meta({ title: "search vectors with fewer dimensions (what is stored counts)" }),
  "vx-dim-reduction-method": text
    .regex(/^(pca|tsne|umap)$/i, "is none of PCA, TSNE and UMAP")
    .optional()
    .meta({ value: "name", title: "PCA, TSNE or UMAP (default: PCA)" }),
  "vx-dim-reduction-target": wholeNumber(1, MAX_DIMENSION)
    .optional()
    .meta({ value: "count", title: "dimensions left (default: half)" }),
  "vx-dim-reduction-adaptive": onOff
    .optional()
    .meta({ title: "let the variance decide how many dimensions are left" }),
  "vx-dim-reduction-min-variance": share
    .optional()
    .meta({ value: "share", title: "variance that is kept then, 0 to 1 (default: 0.95)" }),
  "vx-fit-after": wholeNumber(1, MAX_FIT_AFTER)
    .optional()
    .meta({ value: "count", title: "vectors that the reduction waits for (default: 256)" }),
  "vx-rate-limit": wholeNumber(0, MAX_REQUESTS_PER_MINUTE)
    .default(0)
    .meta({ value: "count", title: "index requests a minute a client address; 0: any number" }),
};

type VxSettings = z.output<z.ZodObject<typeof vxSettings>>;

/**
 * Whether the index makes no backups by itself, as in the library: each start is another one, which would leave them to
 * the next.
 */
export function isUnscheduled(settings: VxSettings): boolean {
  return settings["vx-storage-path"] === IN_MEMORY && settings["vx-backup-path"] === undefined;
}

/** The index's Config that the settings say, but for what the data folder decides. */
export function indexConfig(settings: VxSettings): Config {
  return {
    dimension: settings["vx-dimension"],
    distance: settings["vx-distance"],
    storagePath: settings["vx-storage-path"],
    maxElements: settings["vx-max-elements"],
    hnswM: settings["vx-hnsw-m"],
    hnswEfConstruct: settings["vx-hnsw-ef-construct"],
    hnswEfSearch: settings["vx-hnsw-ef-search"],
    quantization: settings["vx-quantization"],
    batchSize: settings["vx-batch-size"],
    persistInterval: settings["vx-persist-interval"],
    backupInterval: isUnscheduled(settings) ? 0 : settings["vx-backup-interval"],
    backupPath: settings["vx-backup-path"],
    backupCompression: settings["vx-backup-compression"],
    maxBackups: settings["vx-max-backups"],
    encryptionEnabled: settings["vx-encryption-enabled"],
    encryptionKey: settings["vx-encryption-key"],
    enableDimReduction: settings["vx-enable-dim-reduction"],
    dimReductionMethod: settings["vx-dim-reduction-method"],
    dimReductionTarget: settings["vx-dim-reduction-target"],
    dimReductionAdaptive: settings["vx-dim-reduction-adaptive"],
    dimReductionMinVariance: settings["vx-dim-reduction-min-variance"],
    fitAfter: settings["vx-fit-after"],
  };
}
