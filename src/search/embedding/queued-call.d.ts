export declare class QueuedCall {
    #private;
    readonly result: Promise<Float32Array>;
    constructor(texts: readonly string[], signal: AbortSignal | undefined, onAbort: () => void);
    /** Whether it is answered or has failed. */
    get isOver(): boolean;
    /** The texts that are due, each as long as is read. */
    nextBatch(maxTexts: number): string[];
    /** `embeddings`: of the last batch. */
    take(embeddings: Float32Array, batchTexts: number): void;
    fail(reason: unknown): void;
}
