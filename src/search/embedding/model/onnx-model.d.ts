import type { Tokenizer } from "../tokens/tokenizer.ts";
import { type Pooling } from "./pooling.ts";
import type { TextModel } from "./text-model.ts";
export declare class OnnxModel implements TextModel {
    #private;
    readonly modelId: string;
    private constructor();
    /** @throws EmbeddingError `bad_model` */
    static open(modelId: string, bytes: Uint8Array, tokenizer: Tokenizer, pooling: Pooling): Promise<OnnxModel>;
    get dimension(): number;
    embed(texts: readonly string[]): Promise<Float32Array>;
}
