/**
 * A file's name on one line. It is a stranger's text: isolated in its direction, and cut in the middle, so that the
 * ending, which tells what it is, is always seen. Called by the screens.
 */
import "./file-name.css";

/** As a person counts letters: a family of joined emoji is one. */
const TAIL_LETTERS = 10;
const LETTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function FileName({ name }: { name: string }) {
  const letters = Array.from(LETTERS.segment(name), ({ segment }) => segment);
  const split = Math.max(0, letters.length - TAIL_LETTERS);
  return (
    <bdi class="file-name" title={name}>
      <span>{letters.slice(0, split).join("")}</span>
      <span>{letters.slice(split).join("")}</span>
    </bdi>
  );
}
