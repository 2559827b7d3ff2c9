/**
 * What a page gives search by meaning: a model in a worker, started when it is needed. Called by open-search; starts
 * workers/embed.ts.
 */
import type { TwoSpeedEmbedder } from "../../search/embedding/embedder.ts";
import { ModelQueue } from "../../search/embedding/model-queue.ts";
import { dimension, modelId } from "../../search/model/build/model-card.ts";
import { servingWorker } from "../serving-worker.ts";

/**
 * `modelFolder`: a path in the origin private file system to a model of one's own, which is loaded to see what it is; without
 * it, the model that comes with Shoal, which the first call fetches. `isCrowded`: whether the page has no memory for it now.
 * @throws EmbeddingError `bad_model`, `unavailable`
 */
export async function openEmbedder(
  modelFolder?: string,
  isCrowded?: () => boolean,
): Promise<TwoSpeedEmbedder> {
  const options = { ...(isCrowded && { isCrowded }) };
  if (modelFolder !== undefined) return ModelQueue.open(modelFolder, startThread, options);
  return ModelQueue.onDemand({ dimension, modelId }, startThread, options);
}

const startThread = () =>
  servingWorker(
    new Worker(new URL("../../../workers/embed.ts", import.meta.url), { type: "module", name: "embed" }),
  );
