import { UnigramTokenizer } from "../tokens/unigram.ts";
import type { TextModel } from "./text-model.ts";
export declare function openBuiltInTokenizer(): UnigramTokenizer;
/** `model`: what model.onnx holds. */
export declare function openBuiltInModel(model: Uint8Array): Promise<TextModel>;
