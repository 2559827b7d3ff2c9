/** A small stamp with a file's ending, tinted by its kind. Decoration beside the name. Called by rows. */
import { endingOf, fileKind } from "./file-kind.ts";
import "./file-stamp.css";

export function FileStamp({ name }: { name: string }) {
  const kind = fileKind(name);
  const ending = kind === "folder" ? "folder" : endingOf(name);
  return (
    <span class={`file-stamp ${kind}`} aria-hidden="true">
      {ending === "" ? "file" : ending}
    </span>
  );
}
