/**
 * The thread's end of a model in another thread. Called by a runtime's thread entry; the other end is RemoteModel. Comlink
 * carries calls; errors go as data, for Comlink would leave only their message.
 */
import * as Comlink from "comlink";
import { EmbeddingError, type EmbeddingErrorName } from "./errors.ts";
import type { TextModel } from "./model/text-model.ts";

export interface ModelCard {
  dimension: number;
  modelId: string;
}

/** `reason`: of an error that nobody foresaw, for the log. */
export type Answer<T> =
  | { value: T }
  | { error: { name: EmbeddingErrorName; message: string; reason?: string } };

export interface ModelService {
  /** `folder`: of a model of one's own; without it, the model that comes with Shoal. */
  open(folder: string | undefined): Promise<Answer<ModelCard>>;
  embed(texts: readonly string[]): Promise<Answer<Float32Array>>;
}

/** Serves the model that `open` loads, over the port; it is called once. */
export function serveModel(
  port: Comlink.Endpoint,
  open: (folder: string | undefined) => Promise<TextModel>,
): void {
  let model: TextModel | undefined;
  const service: ModelService = {
    open: (folder) =>
      answer(async () => {
        model = await open(folder);
        return { dimension: model.dimension, modelId: model.modelId };
      }),
    embed: (texts) =>
      answer(async () => {
        if (model === undefined) throw new EmbeddingError("unavailable", "The model is not open");
        return model.embed(texts);
      }),
  };
  Comlink.expose(service, port);
}

async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    const value = await work();
    if (!(value instanceof Float32Array)) return { value };
    return Comlink.transfer({ value }, [value.buffer as ArrayBuffer]);
  } catch (error) {
    if (error instanceof EmbeddingError) return { error: { name: error.name, message: error.message } };
    // What the system says may name places of the machine, and requests are told of the message.
    const reason = error instanceof Error ? error.message : String(error);
    return { error: { name: "unavailable", message: "The model can't be had", reason } };
  }
}
