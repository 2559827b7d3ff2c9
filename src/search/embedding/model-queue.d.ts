/**
 * One model for all who ask: queries first, then the background, one batch at a time. Made by the runtimes' openEmbedder;
 * calls RemoteModel. The model's thread starts with the first call, is ended after a while without one, and starts anew
 * with the next.
 */
import type { Embedder, TwoSpeedEmbedder } from "./embedder.ts";
import { type ModelThread } from "./remote-model.ts";
import type { ModelCard } from "./serve-model.ts";
export declare class ModelQueue implements TwoSpeedEmbedder {
    #private;
    readonly background: Embedder;
    private constructor();
    /** For the model that comes with Shoal, whose card is known: nothing starts before the first call. */
    static onDemand(card: ModelCard, startThread: () => ModelThread): ModelQueue;
    /** Loads the model in the folder to see what it is. @throws EmbeddingError `bad_model`, `unavailable` */
    static open(folder: string, startThread: () => ModelThread): Promise<ModelQueue>;
    get dimension(): number;
    get modelId(): string;
    embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array>;
    close(): Promise<void>;
}
