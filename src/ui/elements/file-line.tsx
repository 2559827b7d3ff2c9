/** A file or folder in a list: its stamp, its name, and what is said of it below. Called by rows. */
import type { ComponentChildren } from "preact";
import { FileName } from "./file-name.tsx";
import { FileStamp } from "./file-stamp.tsx";
import "./file-line.css";

interface FileLineProps {
  name: string;
  /** Of a folder that is opened where it stands. */
  isOpen?: boolean;
  children: ComponentChildren;
}

export function FileLine({ name, isOpen, children }: FileLineProps) {
  return (
    <>
      <FileStamp name={name} {...(isOpen !== undefined && { isOpen })} />
      <span class="file-line-what">
        <span class="file-line-name">
          <FileName name={name} />
        </span>
        {children}
      </span>
    </>
  );
}
