/**
 * Hostile text made plain: one line of words and spaces, without control, invisible or direction marks, without lone
 * surrogates, without words that are data. Called by search's readers of texts and, for what nodes tell each other, by the
 * network.
 */
import { UNSPACED_SCRIPTS } from "../spelling/unspaced.ts";
import { MAX_WORD_CHARS } from "./limits.ts";

/** Controls, formats (zero width, direction), private use, unassigned, surrogates without a partner. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}]+/gu;

/** Letters and digits that nothing ever parts, such as base64, where words are parted by spaces. */
const DATA = new RegExp(`[^\\s${UNSPACED_SCRIPTS}]{${MAX_WORD_CHARS + 1},}`, "gu");

/** What belongs to the character before: accents, vowel signs, the colour of a skin. */
const MARK = /^[\p{M}\p{EMod}]/u;

/** Lines, rules and dots that draw something. */
const DRAWN = /([^\p{L}\p{N}\s])\1{3,}/gu;

/** `text` has at most a few hundred thousand characters, and all of this is linear in it. */
export function tidy(text: string, maxChars: number): string {
  const plain = text
    .replace(/\s+/g, " ")
    .replace(UNSEEN, "")
    // What stood apart may belong together now.
    .normalize("NFC")
    .replace(DATA, " ")
    .replace(DRAWN, "$1")
    .replace(/ {2,}/g, " ")
    .trim();
  return cut(plain, maxChars);
}

/** Ends at a word where one ends near, never within a character, nor between it and the marks on it. */
function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const space = text.lastIndexOf(" ", maxChars);
  const least = Math.max(0, maxChars - MAX_WORD_CHARS);
  return text.slice(0, space > least ? space : characterEnd(text, maxChars, least)).trimEnd();
}

/** The last end of a character, as people see one, at or before `end`; after `least`, for marks without end are no character. */
function characterEnd(text: string, end: number, least: number): number {
  for (let at = end; at > least; at--) if (!isWithin(text, at)) return at;
  return isPair(text, end) ? end - 1 : end;
}

function isWithin(text: string, at: number): boolean {
  return isPair(text, at) || MARK.test(String.fromCodePoint(text.codePointAt(at) ?? 0x20));
}

/** Whether the halves of one code point are before and after. */
function isPair(text: string, at: number): boolean {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
