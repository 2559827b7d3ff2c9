/** The threads that an index's own thread starts to help it with large batches. Used by vx-worker; starts vx-linker. */
import { availableParallelism } from "node:os";
import { kernelBase64 } from "../../vx/hnsw/build/shared-kernel-wasm.ts";
import type { LinkJob, LinkThread, LinkThreads } from "../../vx/hnsw/team.ts";
import { compiled } from "../../vx/hnsw/wasm-module.ts";
import { MAX_LINK_THREADS } from "../limits.ts";
import { startThread } from "./start-thread.ts";

/** By default one a further processor; undefined for none: a single thread needs no shared memory. */
export function nodeLinkThreads(
  count = Math.min(availableParallelism() - 1, MAX_LINK_THREADS),
): LinkThreads | undefined {
  return count > 0 ? { count, module: compiled(kernelBase64), start } : undefined;
}

function start(job: LinkJob): LinkThread {
  const worker = startThread("vx-linker", { name: "vx-linker", workerData: job });
  // One that is lost is done without.
  worker.on("error", () => undefined);
  worker.unref();
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  return { ended, end: () => void worker.terminate() };
}
