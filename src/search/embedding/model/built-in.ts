/** The model that comes with Shoal, the Universal Sentence Encoder lite. Called by the threads' entries; made by ../../model. */
import { modelId } from "../../model/build/model-card.ts";
import { piecesJson } from "../../model/build/pieces.ts";
import { UnigramTokenizer } from "../tokens/unigram.ts";
import { OnnxModel } from "./onnx-model.ts";
import type { TextModel } from "./text-model.ts";

/** Places that it was trained for. */
const MAX_PLACES = 128;

export function openBuiltInTokenizer(): UnigramTokenizer {
  return new UnigramTokenizer(JSON.parse(piecesJson), MAX_PLACES);
}

/** `model`: what model.onnx holds. */
export function openBuiltInModel(model: Uint8Array): Promise<TextModel> {
  return OnnxModel.open(modelId, model, openBuiltInTokenizer(), "mean");
}
