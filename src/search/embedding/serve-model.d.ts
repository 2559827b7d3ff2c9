/**
 * The thread's end of a model in another thread. Called by a runtime's thread entry; the other end is RemoteModel. Comlink
 * carries calls; errors go as data, for Comlink would leave only their message.
 */
import * as Comlink from "comlink";
import { type EmbeddingErrorName } from "./errors.ts";
import type { TextModel } from "./model/text-model.ts";
export interface ModelCard {
    dimension: number;
    modelId: string;
}
export type Answer<T> = {
    value: T;
} | {
    error: {
        name: EmbeddingErrorName;
        message: string;
    };
};
export interface ModelService {
    /** `folder`: of a model of one's own; without it, the model that comes with Shoal. */
    open(folder: string | undefined): Promise<Answer<ModelCard>>;
    embed(texts: readonly string[]): Promise<Answer<Float32Array>>;
}
/** Serves the model that `open` loads, over the port; it is called once. */
export declare function serveModel(port: Comlink.Endpoint, open: (folder: string | undefined) => Promise<TextModel>): void;
