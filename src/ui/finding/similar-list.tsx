/**
 * Files that are like one, as a list: what is waited for, what went wrong, and a row each, whose whole width does what the
 * caller says. Called by similar-dialog and by the map.
 */
import type { ComponentChildren } from "preact";
import { FileLine } from "../elements/file-line.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { whereText } from "../peers/holder-words.ts";
import { FoundExcerpt } from "./found-excerpt.tsx";
import type { Similar, SimilarFile } from "./use-similar.ts";

interface SimilarListProps {
  similar: Similar;
  label: string;
  /** What opens a file: the link or button around its lines. */
  row: (file: SimilarFile, lines: ComponentChildren) => ComponentChildren;
}

export function SimilarList({ similar: { files, failure }, label, row }: SimilarListProps) {
  if (failure !== undefined) return <p role="alert">Similar files can't be looked for now. {failure}</p>;
  if (files === undefined) return <p class="quiet">Looking…</p>;
  if (files.length === 0) {
    return (
      <p class="quiet">
        No other file here or on the network is like this one. Files that were just added have to be read
        first.
      </p>
    );
  }
  return (
    <ul aria-label={label}>
      {files.map((file) => (
        <li class="file-line" key={file.id}>
          {row(
            file,
            <FileLine name={file.name}>
              <FoundExcerpt file={file} />
              <span class="quiet small figures">
                {fileSizeText(file.name, file.size)} · {whereText(file.local, file.peers.length)}
              </span>
            </FileLine>,
          )}
        </li>
      ))}
    </ul>
  );
}
