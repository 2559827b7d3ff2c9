import type { Tokenizer } from "../tokens/tokenizer.ts";
export interface Row {
    /** Which text it is of. */
    text: number;
    ids: readonly number[];
}
/** At least one row a text, of at least one id. */
export declare function toRows(tokenizer: Tokenizer, texts: readonly string[]): Row[];
/** The rows in runs of bounded size, the short ones first. */
export declare function toRuns(rows: readonly Row[]): Row[][];
/** Gathers rows' embeddings into those of `count` texts. */
export declare class TextEmbeddings {
    #private;
    constructor(count: number, dimension: number);
    /** `embedding`: of the row, of any length; its direction counts as much as the row is long, none does not. */
    add({ text, ids }: Row, embedding: Float32Array): void;
    /** Every embedding at unit length. A text that the model gave no direction gets the first axis, which is near to nothing. */
    finish(): Float32Array;
}
