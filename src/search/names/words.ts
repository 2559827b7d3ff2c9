/**
 * Words of file names and queries, as one compares them: folded to lower case without diacritics, parted where people part
 * words in names, scripts without spaces in pairs of characters. Pure; called by the index of names.
 */
import { UNSPACED_SCRIPTS } from "../../sharing/unspaced-scripts.ts";
import { MAX_QUERY_WORDS, MAX_WORDS } from "../limits.ts";

/** Letters that decomposition leaves whole (Unicode: no canonical parts), and what people type for them. */
const FOLDED: Record<string, string> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  đ: "d",
  ð: "d",
  ł: "l",
  þ: "th",
  ı: "i",
  // Which of the two a capital becomes depends on what stands behind it.
  ς: "σ",
  // The dot alone of a nasal vowel in Devanagari.
  "\u0901": "\u0902",
  // Letters of Persian, and ends of Arabic words, for which keyboards have others that look alike.
  ی: "ي",
  ى: "ي",
  ک: "ك",
  ة: "ه",
};

/** What else people type for a letter where they have no key for it, or where a name may not have it. */
const SPELLED_OUT: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** A picture among them is a word of its own. */
const WORD_OR_PICTURE = /[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu;

/** Year, month and day that cameras and programs write together. */
const DATE = /^((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/;

/** What programs fill numbers up with, and nobody types: `scan_0042`, `2024-08-01`. */
const LEADING_ZEROS = /^0+(?=\p{N})/u;

/** In which words are not told from each other. What Japanese hangs on vowels and syllables is of two scripts, and so of none to Unicode. */
const UNSPACED = `${UNSPACED_SCRIPTS}ー\\u3099\\u309a`;

const UNSPACED_PART = new RegExp(`[${UNSPACED}]`, "u");

/** Korean parts its words, but for those that make a longer one, and what hangs on them. */
const PAIRED = `${UNSPACED}\\p{sc=Hangul}`;

const PAIRED_PART = new RegExp(`[${PAIRED}]`, "u");

/** What of a word is in such scripts, and what is not: `2024年8月` has no gap, and is looked for by a part of it. */
const PARTS = new RegExp(`[${PAIRED}]+|[^${PAIRED}]+`, "gu");

/** What English hangs on a word, which a text about it need not have: `Ada's boat`. */
const HUNG_ON = /['’](?:s|t|d|m|ll|re|ve)(?![\p{L}\p{N}])/gu;

/** What stands in quotes, as different languages write them. */
const QUOTED = /"([^"]+)"|[“„]([^“”]+)[“”]|«([^«»]+)»|[「『]([^「」『』]+)[」』]/gu;

/**
 * Marks that people leave out, as accents and the vowels of Arabic and Hebrew, but no vowels of Indian and Thai words, nor what
 * tells バス from パス. And what can't be seen.
 */
const LEFT_OUT =
  /(?:\p{Cf}|(?![\u3099\u309a])(?=\P{Alphabetic}|[\p{sc=Inherited}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}])\p{M})+/gu;

/** `Žluťoučký KŮŇ` and `zlutoucky kun` are the same. Nor does what can't be seen make a difference, as between Persian letters. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(LEFT_OUT, "")
    .toLowerCase()
    .replace(/[ßæœøđðłþıςیىکة]|\u0901/g, (letter) => FOLDED[letter] ?? letter)
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Words with one space between them: `annual report 2024` for `Annual_report-2024`. */
export function spoken(text: string): string {
  return (fold(text).match(WORD) ?? []).join(" ");
}

/** What a query asks for word by word, as it is spoken. */
export function quotedPhrases(query: string): string[] {
  const phrases = Array.from(query.matchAll(QUOTED), ([, ...inner]) => spoken(inner.join("")));
  return phrases.filter((phrase) => phrase !== "");
}

/** Whether a text has the phrase, and not within longer words of it, where words are told from each other. */
export function hasPhrase(text: string, phrase: string): boolean {
  const words = spoken(text);
  return ` ${words} `.includes(` ${phrase} `) || (UNSPACED_PART.test(phrase) && words.includes(phrase));
}

/** All words a name or text can be found by, at most so many: `IMG_2024HolidayBeach` by img, 2024holidaybeach, 2024, holidaybeach, holiday, beach. */
export function nameWords(name: string, most = MAX_WORDS): string[] {
  const words = new Set<string>();
  // What queries are made of, too: a sign for two letters is those letters, and no gap between words.
  for (const whole of name
    .replace(/\p{Cf}+/gu, "")
    .normalize("NFKC")
    .match(WORD_OR_PICTURE) ?? []) {
    if (words.size >= most) break;
    addWord(words, whole);
    for (const run of whole.match(/\p{N}+|[\p{L}\p{M}]+/gu) ?? []) {
      for (const part of [run, ...(DATE.exec(run)?.slice(1) ?? [])]) {
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
  for (const whole of fold(query).replace(HUNG_ON, "").match(WORD_OR_PICTURE) ?? [])
    addWord(words, whole, "parts");
  return [...words].slice(0, MAX_QUERY_WORDS);
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

/** `Müller` as Mueller, which is found by Muller too. */
function spelledOut(word: string): string {
  return word.toLowerCase().replace(/[äöüåø]/g, (letter) => SPELLED_OUT[letter] ?? letter);
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
