/**
 * The map as a list, by kind and name, for whoever reads rather than looks: each entry picks its point. Called by map-screen.
 */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { byName } from "../elements/by-name.ts";
import { FileLine } from "../elements/file-line.tsx";
import { fileSizeText } from "../elements/file-size.ts";
import { ShowMore } from "../elements/show-more.tsx";
import { ROWS_A_PAGE } from "../limits.ts";
import { whereText } from "../peers/holder-words.ts";
import type { DrawnMap, FileMapState, MapPoint } from "./file-map-state.ts";
import { familyOf, KIND_FAMILIES } from "./kind-families.ts";
import "./point-list.css";

export function PointList({ state, map: { points } }: { state: FileMapState; map: DrawnMap }) {
  const rowCount = useSignal(ROWS_A_PAGE);
  const isOpen = useSignal(false);
  const sorted = useMemo(
    () =>
      KIND_FAMILIES.flatMap(({ name }) =>
        points.filter((point) => familyOf(point).name === name).sort(byNameAndId),
      ),
    [points],
  );
  const shown = isOpen.value ? sorted.slice(0, rowCount.value) : [];
  const families = KIND_FAMILIES.map(({ name }) => ({
    name,
    files: shown.filter((point) => familyOf(point).name === name),
  })).filter(({ files }) => files.length > 0);
  return (
    <details
      class="point-list"
      open={isOpen.value}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary>The same as a list</summary>
      {families.map(({ name, files }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {files.map((point) => (
              <PointRow key={point.file_id} point={point} state={state} />
            ))}
          </ul>
        </section>
      ))}
      {isOpen.value && <ShowMore rowCount={rowCount} total={sorted.length} />}
    </details>
  );
}

function PointRow({ point, state }: { point: MapPoint; state: FileMapState }) {
  const { file_id: id, name, size, local, holders } = point;
  return (
    <li class="file-line">
      <button
        type="button"
        class="file-line-open"
        aria-pressed={state.picked.value === id}
        onClick={() => (state.picked.value = id)}
      >
        <FileLine name={name}>
          <span class="quiet small figures">
            {fileSizeText(name, size)} · {whereText(local, holders)}
          </span>
        </FileLine>
      </button>
    </li>
  );
}

function byNameAndId(a: MapPoint, b: MapPoint): number {
  return byName(a, b) || (a.file_id < b.file_id ? -1 : 1);
}
