import type { Tokenizer } from "./tokenizer.ts";
export type Piece = readonly [text: string, logLikelihood: number];
export declare class UnigramTokenizer implements Tokenizer {
    #private;
    readonly maxPlaces: number;
    readonly start: readonly number[];
    readonly end: readonly number[];
    readonly padding = 0;
    /** `pieces` by id. */
    constructor(pieces: readonly Piece[], maxPlaces: number);
    encode(text: string): number[];
}
/** Compatible characters become one; any run of white space becomes one mark, as does the text's beginning. */
export declare function normalize(text: string): string;
