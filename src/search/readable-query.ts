/**
 * Whether the model that comes with Shoal, which is English, makes anything of a query. One's own is asked anything.
 * Called by meaning.
 */
import { modelId as builtInId } from "./model/build/model-card.ts";

const LATIN = /\p{sc=Latin}/gu;
const LETTER_OR_PICTURE = /[\p{L}\p{Extended_Pictographic}]/gu;

/** Other scripts, and pictures, are all the same to it, so that any text in one would be a hit. */
export function isReadable(query: string, modelId: string): boolean {
  if (modelId !== builtInId) return true;
  return 2 * count(query, LATIN) >= count(query, LETTER_OR_PICTURE);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
