/** A file that was opened: what it holds if it is a folder's list, else its bytes. Called by whatever opens files. */
import { fileKind } from "../elements/file-kind.ts";
import { FolderDialog } from "../folders/folder-dialog.tsx";
import type { NamedFile } from "./file-actions.ts";
import { PreviewDialog } from "./preview-dialog.tsx";

interface OpenedFileProps {
  file: NamedFile;
  /** Multiaddrs that what it names may be had from. */
  addresses?: readonly string[];
  onClose: () => void;
}

export function OpenedFile({ file, addresses = [], onClose }: OpenedFileProps) {
  if (fileKind(file.name) === "folder") {
    return <FolderDialog file={file} addresses={addresses} onClose={onClose} />;
  }
  return <PreviewDialog file={file} onClose={onClose} />;
}
