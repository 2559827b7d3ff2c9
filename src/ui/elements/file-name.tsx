/**
 * A file's name on one line. It is a stranger's text: isolated in its direction, and cut in the middle, so that the
 * ending, which tells what it is, is always seen. Called by the screens.
 */
import "./file-name.css";

/** As a person counts letters: a family of joined emoji is one. */
const TAIL_LETTERS = 10;
const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Letters of a name where there is little room. */
const SHORT_LETTERS = 24;

function lettersOf(name: string): string[] {
  return Array.from(LETTERS.segment(name), ({ segment }) => segment);
}

/** The beginning and the ending, for drawings that can't tell how much of it fits. */
export function shortFileName(name: string): string {
  const letters = lettersOf(name);
  if (letters.length <= SHORT_LETTERS) return name;
  const head = letters.slice(0, SHORT_LETTERS - TAIL_LETTERS - 1);
  return `${head.join("")}…${letters.slice(-TAIL_LETTERS).join("")}`;
}

export function FileName({ name }: { name: string }) {
  const letters = lettersOf(name);
  const split = Math.max(0, letters.length - TAIL_LETTERS);
  return (
    <bdi class="file-name" title={name}>
      <span>{letters.slice(0, split).join("")}</span>
      <span>{letters.slice(split).join("")}</span>
    </bdi>
  );
}
