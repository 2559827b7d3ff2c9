/**
 * The window's end of the storage worker. Started by start-node, which hands it to the block store and the OPFS files;
 * spoken to through Comlink.
 */
import { type Remote, releaseProxy, wrap } from "comlink";
import { isSharingError, SharingError } from "../sharing/errors.ts";
import type { StorageWork } from "./storage-work.ts";

export interface StorageWorker {
  readonly work: Remote<StorageWork>;
  /** Ends the thread; what is not settled is lost, so close what uses it first. */
  stop(): void;
}

/** @throws Error when the thread's script can't be loaded */
export async function startStorageWorker(): Promise<StorageWorker> {
  // Written as one expression, in which the bundler sees a worker.
  const worker = new Worker(new URL("../../workers/blocks.ts", import.meta.url), {
    type: "module",
    name: "shoal-blocks",
  });
  const work = wrap<StorageWork>(worker);
  const stop = () => {
    work[releaseProxy]();
    worker.terminate();
  };
  try {
    await Promise.race([work.started(), failure(worker)]);
  } catch (error) {
    stop();
    throw error;
  }
  return { work, stop };
}

function failure(worker: Worker): Promise<never> {
  return new Promise((_resolve, reject) => {
    worker.addEventListener("error", ({ message }) => {
      reject(new Error(`the storage worker did not start: ${message || "its script can't be loaded"}`));
    });
  });
}

/** Throws the SharingError that an error was in the worker, of which only name and message crossed. */
export function throwFromWorker(error: unknown): never {
  if (!isSharingError(error, "storage_full", "hash_mismatch", "output_exists", "bad_request", "stopped"))
    throw error;
  throw new SharingError(error.name, error.message, { cause: error });
}
