/**
 * What Node.js gives search by meaning: a model in a worker thread, started when it is needed. Called by
 * open-search; starts embed-worker.
 */
import type { TwoSpeedEmbedder } from "../search/embedding/embedder.ts";
import { ModelQueue } from "../search/embedding/model-queue.ts";
import { dimension, modelId } from "../search/model/build/model-card.ts";
import { startServingThread } from "./serving-thread.ts";

/**
 * `modelFolder`: of a model of one's own, which is loaded to see what it is; without it, the model that comes with Shoal,
 * which the first call loads. @throws EmbeddingError `bad_model`, `unavailable`
 */
export async function openEmbedder(modelFolder?: string): Promise<TwoSpeedEmbedder> {
  if (modelFolder !== undefined) return ModelQueue.open(modelFolder, startThread);
  return ModelQueue.onDemand({ dimension, modelId }, startThread);
}

const startThread = () => startServingThread("embed-worker");
