/** A thread that helps an index with large batches. Started by link-threads; stays until its index is closed. */
import { workerData } from "node:worker_threads";
import { helpLinking } from "../../vx/hnsw/link-helper.ts";
import type { LinkJob } from "../../vx/hnsw/team.ts";

helpLinking(workerData as LinkJob);
