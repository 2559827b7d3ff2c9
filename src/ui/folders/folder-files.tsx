/**
 * The files of a folder that was opened in a list, each by its path, and what is told of those that the list does not
 * have. Called by folder-row and network/offered-folder, which give the rows.
 */
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { byPath } from "../elements/by-name.ts";
import "./folder-files.css";
import type { FileInFolder, FolderGroup } from "./grouped.ts";
import { RowsBeneath } from "./rows-beneath.tsx";

interface FolderFilesProps<F> {
  id: string;
  name: string;
  group: FolderGroup<F>;
  /** A list item with a key. */
  rowOf: (file: FileInFolder<F>) => ComponentChildren;
  missing: (count: number) => ComponentChildren;
}

export function FolderFiles<F extends { id: string }>({
  id,
  name,
  group: { list, folder, files },
  rowOf,
  missing,
}: FolderFilesProps<F>) {
  const sorted = useMemo(() => files.toSorted(byPath), [files]);
  const missingCount = folder.files.length - files.length;
  return (
    <RowsBeneath
      id={id}
      folderId={list.id}
      name={name}
      label={`Files of ${name}`}
      rows={sorted}
      rowOf={rowOf}
    >
      {missingCount > 0 && <li class="file-line folder-files-missing quiet">{missing(missingCount)}</li>}
    </RowsBeneath>
  );
}
