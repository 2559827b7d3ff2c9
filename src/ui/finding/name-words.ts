/**
 * Names, and what is typed to find them, made comparable as the node's search does it (`search/names/words`, which screens can't
 * import). Pure; called by matching.
 */

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

/** What else people type for a letter where they have no key for it. */
const SPELLED_OUT: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/** What stands in quotes, as different languages write them. */
const QUOTED = /"([^"]+)"|[“„]([^“”]+)[“”]|«([^«»]+)»|[「『]([^「」『』]+)[」』]/gu;

/** Those of a phrase that is not typed to its end. */
const QUOTES = /["“”„«»「」『』]/gu;

/** Scripts written without spaces between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** Marks that people leave out, and what can't be seen: no vowels of Indian and Thai words, nor what tells バス from パス. */
const LEFT_OUT =
  /(?:\p{Cf}|(?![\u3099\u309a])(?=\P{Alphabetic}|[\p{sc=Inherited}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}])\p{M})+/gu;

/** What is looked for: each word anywhere in a name, each phrase as it stands there. */
export interface Wanted {
  words: readonly string[];
  phrases: readonly string[];
}

/** `Žluťoučký KŮŇ` and `zlutoucky kun` are the same, whatever can't be seen between the letters. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(LEFT_OUT, "")
    .toLowerCase()
    .replace(/[ßæœøđðłþıςیىکة]|\u0901/g, (letter) => FOLDED[letter] ?? letter)
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

export function wantedIn(typed: string): Wanted {
  const phrases = Array.from(typed.matchAll(QUOTED), ([, ...inner]) => spoken(fold(inner.join(""))));
  const words = fold(typed.replace(QUOTED, " ").replace(QUOTES, " ")).split(/\s+/);
  return { words: words.filter((word) => word !== ""), phrases: phrases.filter((phrase) => phrase !== "") };
}

/** `Müller` is found by Muller and by Mueller. Nothing is found by signs alone, as by the first quote of a phrase. */
export function hasAll(name: string, { words, phrases }: Wanted): boolean {
  if (words.length + phrases.length === 0) return false;
  const spellings = [fold(name), fold(spelledOut(name))];
  return (
    words.every((word) => spellings.some((spelling) => spelling.includes(word))) &&
    phrases.every((phrase) => spellings.some((spelling) => hasPhrase(spoken(spelling), phrase)))
  );
}

function spelledOut(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüåø]/g, (letter) => SPELLED_OUT[letter] ?? letter);
}

/** Words with one space between them: `annual report 2024` for `annual_report-2024`. */
function spoken(folded: string): string {
  return (folded.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ");
}

/** Not within longer words, where words are told from each other. */
function hasPhrase(words: string, phrase: string): boolean {
  return ` ${words} `.includes(` ${phrase} `) || (UNSPACED.test(phrase) && words.includes(phrase));
}
