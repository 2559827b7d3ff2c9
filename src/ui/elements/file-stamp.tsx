/** A small stamp with a file's ending, tinted by its kind. Decoration beside the name. Called by rows. */
import { endingOf, fileKind } from "./file-kind.ts";
import "./file-stamp.css";
import { Icon } from "./icon.tsx";

interface FileStampProps {
  name: string;
  /** Of a folder that is opened where it stands. */
  isOpen?: boolean;
}

export function FileStamp({ name, isOpen }: FileStampProps) {
  const kind = fileKind(name);
  return (
    <span class={`file-stamp ${kind}`} aria-hidden="true">
      {kind !== "folder" && (endingOf(name) || "file")}
      {isOpen !== undefined && <Icon name={isOpen ? "unfolded" : "folded"} size={18} />}
    </span>
  );
}
