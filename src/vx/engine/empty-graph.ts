/** The graph that an index begins with, and what of the settings makes it. Called by Records, by loading and who calls them. */
import type { EngineSettings } from "../config.ts";
import type { Quantization } from "../hnsw/graph.ts";
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { MIN_M } from "../hnsw/limits.ts";
import type { LinkThreads } from "../hnsw/team.ts";
import type { IndexFacts } from "../storage/stored-index.ts";

/** What the graph's own options leave to the settings. */
export interface RecordsOptions {
  efSearch: number;
  quantization: Quantization;
  /** Rows of metadata written in one go. */
  batchSize: number;
  /** Threads that help with large batches. */
  threads?: LinkThreads | undefined;
}

export function recordsOptions(settings: EngineSettings, threads: LinkThreads | undefined): RecordsOptions {
  const { hnswEfSearch, quantization, batchSize } = settings;
  return { efSearch: hnswEfSearch, quantization, batchSize, threads };
}

/** Of a graph that vectors wait in for a model, which nobody walks: the fewest links there can be, and no rounded numbers. */
export const WAITING = { efConstruction: 1, quantization: "none" } as const;

export function emptyGraph(
  facts: IndexFacts,
  { efSearch, quantization, threads }: RecordsOptions,
): HnswGraph {
  const { dimension, metric, reduction } = facts;
  if (reduction === undefined) return new HnswGraph({ ...facts, efSearch, quantization }, threads);
  return new HnswGraph({ dimension, metric, m: MIN_M, ...WAITING });
}
