/** The graph that an index begins with. Called by Records and by loading. */
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { MIN_M } from "../hnsw/limits.ts";
import type { LinkThreads } from "../hnsw/team.ts";
import type { IndexFacts } from "../storage/stored-index.ts";

/** What the graph's own options leave to the settings. */
export interface RecordsOptions {
  efSearch: number;
  /** Rows of metadata written in one go. */
  batchSize: number;
  /** Threads that help with large batches. */
  threads?: LinkThreads | undefined;
}

/** Of a graph that vectors wait in for a model, which nobody walks: the fewest links there can be, and no rounded numbers. */
export const WAITING = { efConstruction: 1, quantization: "none" } as const;

export function emptyGraph(facts: IndexFacts, { efSearch, threads }: RecordsOptions): HnswGraph {
  const { dimension, metric, reduction } = facts;
  if (reduction === undefined) return new HnswGraph({ ...facts, efSearch }, threads);
  return new HnswGraph({ dimension, metric, m: MIN_M, ...WAITING });
}
