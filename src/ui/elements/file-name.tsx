/**
 * A file's name on one line, or on a few beneath an element that is the container `file-name` and narrow. It is a
 * stranger's text: isolated in its direction, and cut in the middle, so that the ending, which tells what it is, is always
 * seen; the list of a folder has the folder's name. Called by the screens.
 */
import { useMemo } from "preact/hooks";
import { shownName } from "../../spelling/folder-name.ts";
import "./file-name.css";
import { headAndTail, isLongName, visible } from "./name-letters.ts";

export function FileName({ name: fileName }: { name: string }) {
  // Lists of hundreds are drawn again and again while their files come.
  const { name, head, tail, isLong } = useMemo(() => {
    // The node has not made it safe where it only may be shared.
    const name = visible(shownName(fileName));
    const [head, tail] = headAndTail(name);
    return { name, head, tail, isLong: isLongName(name) };
  }, [fileName]);
  const look = isLong ? "file-name long" : "file-name";
  if (head === "") {
    return (
      <bdi class={look} title={name}>
        <span class="file-name-tail">{tail}</span>
      </bdi>
    );
  }
  // Read from its two halves it would have a space in the middle.
  return (
    <bdi class={look} title={name}>
      <span class="unseen">{name}</span>
      <span class="file-name-head" aria-hidden="true">
        {head}
      </span>
      <span class="file-name-tail" aria-hidden="true">
        {tail}
      </span>
    </bdi>
  );
}
