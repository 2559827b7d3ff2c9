/** A file in a list: its stamp, its name, and what is said of it below. Called by the rows of files and of the network. */
import type { ComponentChildren } from "preact";
import { FileName } from "./file-name.tsx";
import { FileStamp } from "./file-stamp.tsx";
import "./file-line.css";

export function FileLine({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <FileStamp name={name} />
      <span class="file-line-what">
        <span class="file-line-name">
          <FileName name={name} />
        </span>
        {children}
      </span>
    </>
  );
}
