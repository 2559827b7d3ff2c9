/**
 * The tokenizer of the model that comes with Shoal: of all ways to cut a text into known pieces, the likeliest. Made by
 * built-in; calls piece-trie. Time is linear in the text, since pieces are short. Source: Kudo 2018, "Subword
 * Regularization", and the SentencePiece tokenizer of TensorFlow.js's sentence encoder, whose ids it gives.
 */
import { MAX_TEXT_CHARS } from "../limits.ts";
import { PieceTrie } from "./piece-trie.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Stands for a space, and before the text's first word. */
const SPACE = "▁";
/** Stands for one or more characters that no piece has. */
const UNKNOWN = 0;
/** Ids below it are no pieces: unknown, start, end and three unused. */
const FIRST_PIECE = 6;

export type Piece = readonly [text: string, logLikelihood: number];

export class UnigramTokenizer implements Tokenizer {
  readonly maxPlaces: number;
  readonly start: readonly number[] = [];
  readonly end: readonly number[] = [];
  readonly padding = UNKNOWN;
  readonly #pieces: readonly Piece[];
  readonly #trie = new PieceTrie();

  /** `pieces` by id. */
  constructor(pieces: readonly Piece[], maxPlaces: number) {
    this.#pieces = pieces;
    this.maxPlaces = maxPlaces;
    for (let id = FIRST_PIECE; id < pieces.length; id++) this.#trie.add(this.#text(id), id);
  }

  encode(text: string): number[] {
    return this.#mergeUnknown(this.#cut(Array.from(normalize(text))));
  }

  #text(id: number): string {
    return (this.#pieces[id] as Piece)[0];
  }

  /** Viterbi's algorithm: `scores[end]` is that of the best way to cut the symbols before `end`. */
  #cut(symbols: readonly string[]): number[] {
    const scores = new Float64Array(symbols.length + 1).fill(Number.NEGATIVE_INFINITY);
    const lastIds = new Int32Array(symbols.length + 1);
    const lastStarts = new Int32Array(symbols.length + 1);
    scores[0] = 0;
    const reach = (end: number, score: number, id: number, start: number) => {
      // Of equals, the shorter last piece, as the original has it.
      if (score < (scores[end] as number)) return;
      scores[end] = score;
      lastIds[end] = id;
      lastStarts[end] = start;
    };
    for (let start = 0; start < symbols.length; start++) {
      const score = scores[start] as number;
      if (score === Number.NEGATIVE_INFINITY) continue;
      let isKnown = false;
      this.#trie.match(symbols, start, (id, end) => {
        isKnown ||= end === start + 1;
        reach(end, score + (this.#pieces[id] as Piece)[1], id, start);
      });
      // Without it, no way at all may lead on from here.
      if (!isKnown) reach(start + 1, score, UNKNOWN, start);
    }
    const ids: number[] = [];
    for (let end = symbols.length; end > 0; end = lastStarts[end] as number) ids.push(lastIds[end] as number);
    return ids.reverse();
  }

  #mergeUnknown(ids: number[]): number[] {
    return ids.filter((id, at) => id !== UNKNOWN || ids[at - 1] !== UNKNOWN);
  }
}

/** Compatible characters become one; any run of white space becomes one mark, as does the text's beginning. */
export function normalize(text: string): string {
  const words = text.slice(0, MAX_TEXT_CHARS).normalize("NFKC").slice(0, MAX_TEXT_CHARS).trim();
  return words === "" ? "" : SPACE + words.replace(/\s+/gu, SPACE);
}
