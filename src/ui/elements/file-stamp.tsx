/** A small stamp with a file's ending, tinted by its kind. Decoration beside the name. Called by rows. */
import { endingOf, fileKind } from "./file-kind.ts";
import "./file-stamp.css";

export function FileStamp({ name }: { name: string }) {
  const kind = fileKind(name);
  return (
    <span class={`file-stamp ${kind}`} aria-hidden="true">
      {kind === "folder" ? "" : endingOf(name) || "file"}
    </span>
  );
}
