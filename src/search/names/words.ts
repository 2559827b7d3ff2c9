/**
 * Words of file names and queries, as one compares them: folded to lower case without diacritics, parted where people part
 * words in names, scripts without spaces in pairs of characters. Pure; called by the index of names.
 */
import { fold, spelledOut } from "../../spelling/fold.ts";
import { UNSPACED } from "../../spelling/unspaced.ts";
import { MAX_QUERY_WORDS, MAX_WORDS } from "../limits.ts";

/** A picture among them is a word of its own. */
const WORD_OR_PICTURE = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu;

/** Year, month and day that cameras and programs write together. */
const DATE = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** What programs fill numbers up with, and nobody types: `scan_0042`, `2024-08-01`. */
const LEADING_ZEROS = /^0+(?=\p{N})/u;

/** Korean parts its words, but for those that make a longer one, and what hangs on them. */
const PAIRED = `${UNSPACED}\\p{sc=Hangul}`;

const PAIRED_PART = new RegExp(`[${PAIRED}]`, "u");

/** What of a word is in such scripts, and what is not: `2024年8月` has no gap, and is looked for by a part of it. */
const PARTS = new RegExp(`[${PAIRED}]+|[^${PAIRED}]+`, "gu");

/** What English hangs on a word, which a text about it need not have: `Ada's boat`. */
const HUNG_ON = /['’](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{M}\p{N}])/giu;

/**
 * All words a name or text can be found by, at most so many: `IMG_2024HolidayBeach` by img, 2024holidaybeach, 2024,
 * holidaybeach, holiday, beach.
 */
export function nameWords(name: string, most = MAX_WORDS): string[] {
  const words = new Set<string>();
  for (const whole of legible(name).match(WORD_OR_PICTURE) ?? []) {
    if (words.size >= most) break;
    addWord(words, whole);
    for (const run of whole.match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? []) {
      for (const part of [run, ...(dateParts(run) ?? [])]) {
        addWord(words, part);
        addWord(words, part.replace(LEADING_ZEROS, ""));
      }
      for (const part of run.match(/\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]+|\p{Lu}+(?!\p{Ll})/gu) ?? [])
        addWord(words, part);
    }
  }
  return [...words].slice(0, most);
}

/** The words that a query asks for, each once. */
export function queryWords(query: string): string[] {
  const words = new Set<string>();
  for (const whole of legible(query).replace(HUNG_ON, "").match(WORD_OR_PICTURE) ?? [])
    for (const part of dateParts(whole) ?? [whole]) addWord(words, part, "parts");
  return [...words].slice(0, MAX_QUERY_WORDS);
}

function dateParts(run: string): string[] | undefined {
  return DATE.exec(run)?.slice(1);
}

/** Without what can't be seen; a sign for two letters is those letters, and no gap between words. */
function legible(text: string): string {
  return text.replace(/\p{Cf}+/gu, "").normalize("NFKC");
}

/** `parts`: nothing longer, since a query may begin within what a name has as one run. */
function addWord(words: Set<string>, word: string, of: "all" | "parts" = "all"): void {
  const folded = fold(word);
  if (of === "all") words.add(folded).add(fold(spelledOut(word)));
  for (const part of folded.match(PARTS) ?? []) {
    const characters = PAIRED_PART.test(part) ? charactersOf(part) : [part];
    if (of === "all" || characters.length === 1) for (const character of characters) words.add(character);
    for (let at = 0; at + 1 < characters.length; at++) words.add(`${characters[at]}${characters[at + 1]}`);
  }
}

/** As people see them: folding takes syllables of Korean and Japanese apart. */
function charactersOf(folded: string): string[] {
  return Array.from(folded.normalize("NFC"), (character) => character.normalize("NFD"));
}

/** Words so common in English that a name or text which has only them has nothing of the query. */
const COMMON = new Set(
  "a an and are as at be by can do does for from had has have how i in is it its me my of on or our so that the their them there these they this to was we were what when where which who why will with you your about".split(
    " ",
  ),
);

export function isTelling(word: string): boolean {
  return !COMMON.has(word);
}

/** The words that matter; all of them where none does. */
export function tellingWords(words: readonly string[]): readonly string[] {
  const telling = words.filter(isTelling);
  return telling.length === 0 ? words : telling;
}
