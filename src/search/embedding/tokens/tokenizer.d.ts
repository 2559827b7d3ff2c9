/** What turns a text into the numbers that a model reads. Implemented by unigram and hugging-face; used by onnx-model. */
export interface Tokenizer {
    /** Places of a row that the model takes, those of `start` and `end` included. */
    readonly maxPlaces: number;
    /** Ids around every row. */
    readonly start: readonly number[];
    readonly end: readonly number[];
    /** What fills a row that is shorter than its neighbours; masked. */
    readonly padding: number;
    /** The text's ids, without `start` and `end`. Any text is taken; an empty one may give none. */
    encode(text: string): number[];
}
