/**
 * A file's name on one line. It is a stranger's text: isolated in its direction, and cut in the middle, so that the
 * ending, which tells what it is, is always seen. Called by the screens.
 */
import "./file-name.css";

const TAIL_CHARS = 10;

export function FileName({ name }: { name: string }) {
  const letters = [...name];
  const split = Math.max(0, letters.length - TAIL_CHARS);
  return (
    <bdi class="file-name" title={name}>
      <span>{letters.slice(0, split).join("")}</span>
      <span>{letters.slice(split).join("")}</span>
    </bdi>
  );
}
