/** A name as a person counts its letters: a family of joined emoji is one. Called by file-name and the map. */

const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Letters at the end of a name that tell what it is. */
const TAIL_LETTERS = 10;

/** Letters of a name where there is little room. */
const SHORT_LETTERS = 24;

/** Letters that four short lines hold. */
const FEW_LETTERS = 40;

function lettersOf(name: string): string[] {
  return Array.from(LETTERS.segment(name), ({ segment }) => segment);
}

/** What may be cut of a name, and the ending that is always seen. */
export function headAndTail(name: string): [head: string, tail: string] {
  const letters = lettersOf(name);
  const split = Math.max(0, letters.length - TAIL_LETTERS);
  return [letters.slice(0, split).join(""), letters.slice(split).join("")];
}

/** Whether it may take more than a few lines where lines are short. */
export function isLongName(name: string): boolean {
  return lettersOf(name).length > FEW_LETTERS;
}

/** What `bdi` is to elements, for drawings and texts: FIRST STRONG ISOLATE and its end (Unicode Annex 9). */
export function isolated(name: string): string {
  return `\u2068${name}\u2069`;
}

/** The beginning and the ending, for drawings that can't tell how much of it fits. */
export function shortFileName(name: string): string {
  const letters = lettersOf(name);
  if (letters.length <= SHORT_LETTERS) return name;
  const head = letters.slice(0, SHORT_LETTERS - TAIL_LETTERS - 1);
  return `${head.join("")}…${letters.slice(-TAIL_LETTERS).join("")}`;
}
