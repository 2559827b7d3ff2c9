/**
 * What a page gives search by meaning: a model in a worker, started when it is needed. Called by start-node; starts
 * workers/embed.ts.
 */
import type { TwoSpeedEmbedder } from "../search/embedding/embedder.ts";
import { ModelQueue } from "../search/embedding/model-queue.ts";
import type { ModelThread } from "../search/embedding/remote-model.ts";
import { dimension, modelId } from "../search/model/build/model-card.ts";

/**
 * `modelFolder`: a path in the origin private file system to a model of one's own, which is loaded to see what it is; without
 * it, the model that comes with Shoal, which the first call fetches. @throws EmbeddingError `bad_model`, `unavailable`
 */
export async function openEmbedder(modelFolder?: string): Promise<TwoSpeedEmbedder> {
  if (modelFolder !== undefined) return ModelQueue.open(modelFolder, startThread);
  return ModelQueue.onDemand({ dimension, modelId }, startThread);
}

function startThread(): ModelThread {
  const worker = new Worker(new URL("../../workers/embed.ts", import.meta.url), {
    type: "module",
    name: "embed",
  });
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
