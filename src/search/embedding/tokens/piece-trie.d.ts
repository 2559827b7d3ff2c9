/** The pieces of a unigram tokenizer, found by their first characters. Used by unigram. */
export declare class PieceTrie {
    #private;
    add(piece: string, id: number): void;
    /** Calls `found` for every piece that the symbols have at `start`, the shortest first. */
    match(symbols: readonly string[], start: number, found: (id: number, end: number) => void): void;
}
