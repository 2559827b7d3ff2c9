/**
 * A file's name on one line. It is a stranger's text: isolated in its direction, and cut in the middle, so that the
 * ending, which tells what it is, is always seen. Called by the screens.
 */
import "./file-name.css";
import { headAndTail } from "./name-letters.ts";

export function FileName({ name }: { name: string }) {
  const [head, tail] = headAndTail(name);
  return (
    <bdi class="file-name" title={name}>
      <span>{head}</span>
      <span>{tail}</span>
    </bdi>
  );
}
