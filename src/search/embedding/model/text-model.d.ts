/** A model that is loaded, in the thread that it runs in. Opened by built-in and model-folder; served by serve-model. */
export interface TextModel {
    readonly dimension: number;
    readonly modelId: string;
    /** Of at most MAX_BATCH_TEXTS texts: unit-length embeddings, row-major [texts.length, dimension]. */
    embed(texts: readonly string[]): Promise<Float32Array>;
}
