/** A name as a person counts its letters: a family of joined emoji is one. Called by file-name and the map. */

const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Letters at the end of a name that tell what it is. */
const TAIL_LETTERS = 10;

/** Letters before those that a joined word may have and be left whole, so that the ending has its room. */
const MOST_JOINED_LETTERS = 20;

/** Letters of a name where there is little room. */
const SHORT_LETTERS = 24;

/** Letters that four short lines hold. */
const FEW_LETTERS = 40;

/** Of these each is a letter, which the segmenter takes a hundred times as long to tell. */
const PLAIN = /^[ -~]*$/;

function lettersOf(name: string): string[] {
  if (PLAIN.test(name)) return name.split("");
  return Array.from(LETTERS.segment(name), ({ segment }) => segment);
}

/**
 * Controls, and formatting and fillers (letters, of Hangul) that are not drawn; joiners are part of many scripts, tags
 * of flags.
 */
const MISLEADING =
  /(?![\p{Join_Control}\u{e0020}-\u{e007f}])(?:[\p{Cc}\p{Cs}\u2028\u2029\ufff9-\ufffb]|(?=\p{Default_Ignorable_Code_Point})[\p{Cf}\p{Lo}])/gu;

/** A name without what would turn, hide or break the text around it. */
export function visible(name: string): string {
  return name.replace(MISLEADING, "");
}

/** What may be cut of a name, and the ending that is always seen; where it can't be parted, all of it is the ending. */
export function headAndTail(name: string): [head: string, tail: string] {
  const letters = lettersOf(name);
  const end = Math.max(0, letters.length - TAIL_LETTERS);
  const split = LEFTWARDS.test(name) ? beforeWhole(letters, splitBetweenRuns(letters, end)) : end;
  return [letters.slice(0, split).join(""), letters.slice(split).join("")];
}

/** Scripts that run from right to left. */
const LEFTWARDS = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/u;

/** Letters of those that are written joined, and the bar that widens such a word, which several scripts share. */
const JOINED = /(?=\p{L})[\p{scx=Arabic}\p{scx=Syriac}\p{scx=Nko}\p{scx=Adlam}]/u;

type Direction = "left" | "right" | undefined;

/**
 * The two parts stand side by side in the direction of the name's first letter, so parting words that run the other way would
 * show their second half before the first (Unicode Annex 9): such words stay in the head, and where nothing follows, 0 is given.
 */
function splitBetweenRuns(letters: readonly string[], split: number): number {
  const directions = letters.map(directionOf);
  const own = directions.find(Boolean);
  const before = directions.slice(0, split).findLast(Boolean);
  const after = directions.slice(split).find(Boolean);
  if (before === undefined || after === undefined || before === own || after === own) return split;
  const next = directions.indexOf(own, split);
  return next === -1 ? 0 : directions.findLastIndex((one, at) => at < next && one !== undefined) + 1;
}

/**
 * Numbers, as of dates and times, run to the right in any name, so that those in a name that runs to the left are not
 * parted either. Nor are words whose letters are joined: parted, they would be drawn as if two words stood there.
 */
function beforeWhole(letters: readonly string[], split: number): number {
  const isJoined = (at: number) => JOINED.test(letters[at] ?? "");
  const isDigit = (at: number) => /^\p{Nd}$/u.test(letters[at] ?? "");
  const isInside = (at: number) =>
    isDigit(at) || (/^[-.,:/]$/.test(letters[at] ?? "") && isDigit(at - 1) && isDigit(at + 1));
  let start = split;
  while ([isInside, isJoined].some((isPart) => isPart(start - 1) && isPart(start))) start--;
  const isWord = isJoined(split - 1) && isJoined(split);
  return isWord && split - start > MOST_JOINED_LETTERS ? split : start;
}

function directionOf(letter: string): Direction {
  if (LEFTWARDS.test(letter)) return "left";
  return /\p{L}/u.test(letter) ? "right" : undefined;
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
