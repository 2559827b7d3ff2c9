/** The file picked on the map, and what is like it, each of which leads on to its own point. Called by map-screen. */
import { folderNameOf, shownName } from "../../spelling/folder-name.ts";
import { FileLine } from "../elements/file-line.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { SimilarList } from "../finding/similar-list.tsx";
import type { Similar } from "../finding/use-similar.ts";
import { fragmentOf, linkOf } from "../links.ts";
import { whereText } from "../peers/holder-words.ts";
import type { FileMapState } from "./file-map-state.ts";
import "./picked-file.css";

interface PickedFileProps {
  state: FileMapState;
  /** Files like the picked one. */
  similar: Similar;
}

export function PickedFile({ state, similar }: PickedFileProps) {
  const point = state.pickedPoint.value;
  if (point === undefined) {
    return <p class="quiet small">Pick a point to see which file it is, and what is like it.</p>;
  }
  const { file_id: id, name, size, kind, local, holders } = point;
  return (
    <article class="picked-file" aria-label={shownName(name)}>
      <a class="file-line-open" href={fragmentOf(linkOf({ id, name, size }))}>
        <FileLine name={name}>
          <span class="quiet small figures">
            {folderNameOf(name) === undefined && `${kind} · `}
            {fileSizeText(name, size)} · {whereText(local, holders)}
          </span>
        </FileLine>
        <span class="picked-file-open small">Open</span>
      </a>
      <h2>More like this</h2>
      <SimilarList
        similar={similar}
        label={`Files like ${shownName(name)}`}
        row={(file, lines) =>
          state.map.value?.indexOf.has(file.id) ? (
            <button type="button" class="file-line-open" onClick={() => (state.picked.value = file.id)}>
              {lines}
            </button>
          ) : (
            <a class="file-line-open" href={fragmentOf(linkOf(file))}>
              {lines}
            </a>
          )
        }
      />
    </article>
  );
}
