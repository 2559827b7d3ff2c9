/**
 * What Node.js gives search by meaning: a model in a process of its own, started when it is needed. Called by
 * open-search; starts embed-process.
 */
import type { TwoSpeedEmbedder } from "../../search/embedding/embedder.ts";
import { ModelQueue } from "../../search/embedding/model-queue.ts";
import { dimension, modelId } from "../../search/model/build/model-card.ts";
import { startServingProcess } from "../threads/serving-process.ts";

/**
 * `modelFolder`: of a model of one's own, which is loaded to see what it is; without it, the model that comes with Shoal,
 * which the first call loads. @throws EmbeddingError `bad_model`, `unavailable`
 */
export async function openEmbedder(modelFolder?: string): Promise<TwoSpeedEmbedder> {
  if (modelFolder !== undefined) return ModelQueue.open(modelFolder, startProcess);
  return ModelQueue.onDemand({ dimension, modelId }, startProcess);
}

const startProcess = () => startServingProcess("embed-process");
