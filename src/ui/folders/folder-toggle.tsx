/** A folder's line as the button that opens and closes it. Called by the rows of folders: files, transfers, network. */
import type { ComponentChildren } from "preact";
import { FileLine } from "../elements/file-line.tsx";

interface FolderToggleProps {
  /** Of the folder's list. */
  name: string;
  isOpen: boolean;
  onToggle: () => void;
  /** Of the element that stands there while it is open. */
  rowsId: string;
  children: ComponentChildren;
}

export function FolderToggle({ name, isOpen, onToggle, rowsId, children }: FolderToggleProps) {
  return (
    <button
      type="button"
      class="file-line-open"
      aria-expanded={isOpen}
      aria-controls={isOpen ? rowsId : undefined}
      onClick={onToggle}
    >
      <FileLine name={name} isOpen={isOpen}>
        {children}
      </FileLine>
    </button>
  );
}
