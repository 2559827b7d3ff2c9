/** From what a model gives for a row's places to one embedding of the row. Used by onnx-model. Source: Sentence Transformers. */
export type Pooling = "mean" | "first" | "max";
/** `places`: row-major [length, dimension], of which the first `count` hold the row. */
export declare function pool(places: Float32Array, dimension: number, count: number, pooling: Pooling): Float32Array;
