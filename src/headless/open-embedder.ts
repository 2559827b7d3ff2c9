/**
 * What Node.js gives search by meaning: a model in a worker thread, started when it is needed. Called by main; starts
 * embed-worker. Node.js ports are event targets, so Comlink needs no adapter.
 */
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import type { Endpoint } from "comlink";
import type { TwoSpeedEmbedder } from "../search/embedding/embedder.ts";
import { ModelQueue } from "../search/embedding/model-queue.ts";
import type { ModelThread } from "../search/embedding/remote-model.ts";
import { dimension, modelId } from "../search/model/build/model-card.ts";

/**
 * `modelFolder`: of a model of one's own, which is loaded to see what it is; without it, the model that comes with Shoal,
 * which the first call loads. @throws EmbeddingError `bad_model`, `unavailable`
 */
export async function openEmbedder(modelFolder?: string): Promise<TwoSpeedEmbedder> {
  if (modelFolder !== undefined) return ModelQueue.open(modelFolder, startThread);
  return ModelQueue.onDemand({ dimension, modelId }, startThread);
}

function startThread(): ModelThread {
  const { port1: port, port2 } = new MessageChannel();
  const worker = startWorker(port2);
  let crash: Error | undefined;
  worker.on("error", (error) => {
    crash = error;
  });
  const ended = new Promise<Error | undefined>((resolve) => {
    worker.once("exit", () => {
      port.close();
      resolve(crash);
    });
  });
  const setBusy = (isBusy: boolean) => {
    for (const held of [worker, port]) isBusy ? held.ref() : held.unref();
  };
  const end = async () => {
    await worker.terminate();
    await ended;
  };
  return { port: port as unknown as Endpoint, ended, setBusy, end };
}

/** The bundle has the worker beside it, under its plain name. */
function startWorker(port: MessagePort): Worker {
  const isSource = import.meta.url.endsWith(".ts");
  const file = new URL(isSource ? "./embed-worker.source.mjs" : "./embed-worker.js", import.meta.url);
  return new Worker(file, { workerData: port, transferList: [port], name: "embed" });
}
