/**
 * What of a file is embedded: its name and kind as a sentence, before pieces of its text that end where sentences do. Pure;
 * called by the indexer. A version of it is part of the index's name, so that a change makes all vectors anew.
 */

import { tidy } from "../sharing/tidy.ts";
import { fileTypeOf } from "./file-kind.ts";
import { EXCERPT_CHARS, MAX_PASSAGES, PASSAGE_CHARS } from "./limits.ts";

/** To be raised with every change to what texts or passages are made of a file. */
export const PASSAGES_VERSION = 2;

/**
 * Texts to embed: the name together with the beginning of `text`, which is tidied, then the passages after it. A name alone
 * is near to much that it has nothing to do with; before its text it found a tenth more of the labelled queries.
 */
export function passagesOf(name: string, text: string): string[] {
  const sentence = nameSentence(name);
  const [first, ...others] = pieces(text);
  if (first === undefined) return [sentence];
  return [sentence === "" ? first : `${sentence}. ${first}`, ...others];
}

/** The beginning of a text, short enough to be told to others. */
export function excerptOf(text: string): string {
  return tidy(text, EXCERPT_CHARS);
}

/** `Holiday_beach-2024.jpg` is `Holiday beach 2024, image`. */
export function nameSentence(name: string): string {
  const { kind } = fileTypeOf(name);
  const words = name
    .replace(/\.[^.]{1,12}$/, "")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .replace(/[^\p{L}\p{M}\p{N}'’]+/gu, " ")
    .trim();
  return kind === "other" ? words : `${words}, ${kind}`;
}

/** Pieces of about PASSAGE_CHARS, cut at the end of a sentence where one ends in the last half of a piece. */
function pieces(text: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length && found.length < MAX_PASSAGES; ) {
    const end = at + PASSAGE_CHARS >= text.length ? text.length : cutAt(text, at);
    const piece = text.slice(at, end).trim();
    if (piece !== "") found.push(piece);
    at = end;
  }
  return found;
}

function cutAt(text: string, at: number): number {
  const piece = text.slice(at, at + PASSAGE_CHARS);
  const sentence = Math.max(...[". ", "! ", "? ", "。", "; "].map((end) => piece.lastIndexOf(end)));
  if (sentence > PASSAGE_CHARS / 2) return at + sentence + 1;
  const space = piece.lastIndexOf(" ");
  if (space > 0) return at + space;
  // Never between the halves of a character.
  return at + PASSAGE_CHARS - (/[\ud800-\udbff]/.test(piece.charAt(PASSAGE_CHARS - 1)) ? 1 : 0);
}
