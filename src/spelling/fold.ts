/**
 * Names and queries made comparable, however people spell them: without case, diacritics and what can't be seen. Pure; called by
 * search and by the screens, which find in the names they show what the node's search finds.
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

const FOLDABLE = new RegExp(`[${Object.keys(FOLDED).join("")}]`, "g");

/** What else people type for a letter where they have no key for it, or where a name may not have it. */
const SPELLED_OUT: Record<string, string> = { ä: "ae", ö: "oe", ü: "ue", å: "aa", ø: "oe" };

/** Letters, what hangs on them, and digits. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Marks that people leave out, as accents and the vowels of Arabic and Hebrew, but no vowels of Indian and Thai words, nor what
 * tells バス from パス. And what can't be seen.
 */
const LEFT_OUT =
  /(?=[\p{M}\p{Cf}])(?:\p{Cf}|(?![\u3099\u309a])(?=\P{Alphabetic}|[\p{sc=Inherited}\p{sc=Arabic}\p{sc=Hebrew}\p{sc=Syriac}])\p{M})+/gu;

/**
 * `Žluťoučký KŮŇ` and `zlutoucky kun` are the same. Nor does what can't be seen make a difference, as between Persian
 * letters.
 */
export function fold(text: string): string {
  // Most names, of which a screen may look through ten thousand at each key.
  if (!/\P{ASCII}/u.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(LEFT_OUT, "")
    .toLowerCase()
    .replace(FOLDABLE, (letter) => FOLDED[letter] ?? letter)
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
}

/** Words with one space between them: `annual report 2024` for `Annual_report-2024`. */
export function spoken(text: string): string {
  return (fold(text).match(WORD) ?? []).join(" ");
}

/** `Müller` as Mueller, which is found by Muller too. */
export function spelledOut(text: string): string {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[äöüåø]/g, (letter) => SPELLED_OUT[letter] ?? letter);
}
