/** Types of encoder-graph, for the benchmark of search. */
import type { OnnxGraph } from "./onnx-writer.mjs";
import type { ReadWeight } from "./tfjs-weights.mjs";

export const DIMENSION: number;
export function sentenceEncoder(weight: ReadWeight, options?: { quantized?: boolean }): OnnxGraph;
