/**
 * The window's end of the storage worker. Started by open-media, which hands its two parts to the block store and the
 * OPFS files; spoken to through Comlink, which calls a thread that has ended without ever telling.
 */
import { type Remote, wrap } from "comlink";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { ThreadCalls } from "../../sharing/thread-calls.ts";
import type { BlocksWork } from "../blocks/blocks-work.ts";
import type { OpfsFilesWork } from "../files/opfs-files-work.ts";
import type { StorageWork } from "./storage-work.ts";

export interface StorageWorker {
  /** Every call throws the SharingError that it was in the worker, and `stopped` once that has ended. */
  readonly work: {
    readonly blocks: Remote<BlocksWork>;
    readonly outputs: Remote<OpfsFilesWork>;
  };
  /** Ends the thread at once, if it has not ended yet. What it has not answered may be lost, the rest is durable. */
  stop(): void;
}

/** @throws Error when the thread's script can't be loaded */
export async function startStorageWorker(): Promise<StorageWorker> {
  // Written as one expression, in which the bundler sees a worker.
  const worker = new Worker(new URL("../../../workers/blocks.ts", import.meta.url), {
    type: "module",
    name: "shoal-blocks",
  });
  const remote = wrap<StorageWork>(worker);
  const calls = new ThreadCalls();
  const stop = () => {
    calls.end(new SharingError("stopped", "the storage worker has ended"));
    worker.terminate();
  };
  const refuse = ({ message }: ErrorEvent) => {
    calls.end(new Error(`the storage worker did not start: ${message || "its script can't be loaded"}`));
  };
  worker.addEventListener("error", refuse);
  try {
    await calls.run(() => remote.started());
    const [blocks, outputs] = [await remote.blocks, await remote.outputs];
    return { work: { blocks: endingWith(calls, blocks), outputs: endingWith(calls, outputs) }, stop };
  } catch (error) {
    stop();
    throw error;
  } finally {
    worker.removeEventListener("error", refuse);
  }
}

/** The same methods, as `work` says. */
function endingWith<T extends object>(calls: ThreadCalls, remote: T): T {
  return new Proxy(remote, {
    get(methods, name) {
      // Whoever awaits it gets it, and not the answer of a method.
      if (name === "then") return undefined;
      const method = Reflect.get(methods, name) as (...args: unknown[]) => Promise<unknown>;
      return (...args: unknown[]) => calls.run(() => method(...args).catch(throwFromWorker));
    },
  });
}

/** Throws the SharingError that an error was in the worker, of which only name and message crossed. */
function throwFromWorker(error: unknown): never {
  if (!isSharingError(error, "storage_full", "hash_mismatch", "output_exists", "bad_request", "stopped"))
    throw error;
  throw new SharingError(error.name, error.message, { cause: error });
}
