/** Scripts written without spaces between words, as characters of a pattern with the flag `u`. Used by tidy and by search's words. */
export const UNSPACED_SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"]
  .map((script) => `\\p{sc=${script}}`)
  .join("");
