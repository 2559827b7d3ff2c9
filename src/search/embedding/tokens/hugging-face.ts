/**
 * The tokenizer of a model of one's own, from its tokenizer.json: WordPiece, BPE and Unigram by @huggingface/tokenizers. Made
 * by model-folder. The special tokens around a row are found by looking at what the tokenizer puts around a word.
 */
import { Tokenizer as LibraryTokenizer } from "@huggingface/tokenizers";
import { EmbeddingError } from "../errors.ts";
import { MAX_TEXT_CHARS } from "../limits.ts";
import type { Tokenizer } from "./tokenizer.ts";

const PROBE = "a";

/** `json`, `settings`: what tokenizer.json and tokenizer_config.json hold. @throws EmbeddingError `bad_model` */
export function openHuggingFaceTokenizer(json: object, settings: object, maxPlaces: number): Tokenizer {
  try {
    const library = new LibraryTokenizer(json, settings);
    const encode = (text: string) =>
      library.encode(text.slice(0, MAX_TEXT_CHARS).normalize(), { add_special_tokens: false }).ids;
    const [start, end] = specialIds(encode(PROBE), library.encode(PROBE).ids);
    return { maxPlaces, start, end, padding: paddingId(library, json, settings), encode };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new EmbeddingError("bad_model", `tokenizer.json can't be used: ${why}`, { cause: error });
  }
}

/** What stands before and after the bare ids. */
function specialIds(bare: readonly number[], whole: readonly number[]): [number[], number[]] {
  for (let at = 0; at + bare.length <= whole.length; at++) {
    if (bare.every((id, index) => whole[at + index] === id)) {
      return [whole.slice(0, at), whole.slice(at + bare.length)];
    }
  }
  throw new Error("its special tokens change the text between them");
}

function paddingId(library: LibraryTokenizer, json: object, settings: object): number {
  const { padding } = json as { padding?: { pad_id?: unknown } | null };
  if (typeof padding?.pad_id === "number") return padding.pad_id;
  const { pad_token } = settings as { pad_token?: unknown };
  return (typeof pad_token === "string" ? library.token_to_id(pad_token) : undefined) ?? 0;
}
