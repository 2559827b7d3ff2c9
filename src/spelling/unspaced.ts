/** Scripts written without spaces between words, as characters of a pattern with the flag `u`. */

export const UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{sc=${script}}`)
  .join("");

/** With what Japanese hangs on vowels and syllables, which is of two scripts, and so of none to Unicode. */
export const UNSPACED = `${UNSPACED_SCRIPTS}ー\\u3099\\u309a`;
