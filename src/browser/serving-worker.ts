/**
 * A worker that serves one port, as the parts that call it see it: whether it has ended, and why. Called by open-embedder and
 * open-search, which start the workers, for the bundler sees a worker only where its URL stands.
 */
import type { ServingThread } from "../search/serving-thread.ts";

export function servingWorker(worker: Worker): ServingThread {
  let settle: (reason: Error | undefined) => void = () => {};
  const ended = new Promise<Error | undefined>((resolve) => {
    settle = resolve;
  });
  const stop = (reason?: Error) => {
    worker.terminate();
    settle(reason);
  };
  worker.addEventListener("error", ({ message }) => {
    stop(new Error(message || "its script could not be loaded"));
  });
  return { port: worker, ended, setBusy() {}, end: async () => stop() };
}
