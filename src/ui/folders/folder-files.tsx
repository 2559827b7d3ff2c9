/** The files of a folder that was opened in the list of files, each by its path, and how many are not here. Called by folder-row. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { Button } from "../elements/button.tsx";
import { byName } from "../elements/by-name.ts";
import { countText } from "../elements/quantities.ts";
import { ShowMore } from "../elements/show-more.tsx";
import { FileRow } from "../files/file-row.tsx";
import { ROWS_A_PAGE } from "../limits.ts";
import "./folder-files.css";
import type { FolderGroup } from "./grouped.ts";

interface FolderFilesProps {
  id: string;
  name: string;
  group: FolderGroup;
  onSeeContents: () => void;
}

export function FolderFiles({ id, name, group: { folder, files }, onSeeContents }: FolderFilesProps) {
  const rowCount = useSignal(ROWS_A_PAGE);
  const sorted = useMemo(
    () => files.toSorted((one, other) => byName({ name: one.path }, { name: other.path })),
    [files],
  );
  const missing = folder.files.length - files.length;
  return (
    <div class="folder-files" id={id}>
      <ul aria-label={`Files of ${name}`}>
        {sorted.slice(0, rowCount.value).map(({ path, file }) => (
          <FileRow key={path} file={file} name={path} />
        ))}
        {missing > 0 && (
          <li class="file-line folder-files-missing quiet">
            {missing === 1 ? "1 file is not here" : `${countText(missing, "file")} are not here`}
            <Button label={`See what is in it, ${name}`} onClick={onSeeContents}>
              See what is in it
            </Button>
          </li>
        )}
      </ul>
      <ShowMore rowCount={rowCount} total={sorted.length} of={name} />
    </div>
  );
}
