/** The points themselves, coloured by what the files are, those like the picked one lit. Called by map-screen; calls scatter. */
import { useMemo } from "preact/hooks";
import { folderNameOf, shownName } from "../../spelling/folder-name.ts";
import { ColourKey } from "../drawings/colour-key.tsx";
import { Scatter } from "../drawings/scatter.tsx";
import { Button } from "../elements/button.tsx";
import { isolated, shortFileName } from "../elements/name-letters.ts";
import type { Similar } from "../finding/use-similar.ts";
import { MAP_FILES_WORTH_IT } from "../limits.ts";
import { whereText } from "../peers/holder-words.ts";
import type { DrawnMap, FileMapState, MapPoint } from "./file-map-state.ts";
import { familyOf, KIND_FAMILIES } from "./kind-families.ts";
import "./file-plane.css";

interface FilePlaneProps {
  state: FileMapState;
  map: DrawnMap;
  /** Files like the picked one. */
  similar: Similar;
  /** Draws files that came or went since; left out where none did. */
  onRedraw?: () => void;
}

export function FilePlane({ state, map, similar, onRedraw }: FilePlaneProps) {
  const { points, places, indexOf } = map;
  const hues = useMemo(() => Uint8Array.from(points, (point) => familyOf(point).hue), [points]);
  const names = useMemo(() => points.map(({ name }) => isolated(shortFileName(shownName(name)))), [points]);
  const key = KIND_FAMILIES.filter(({ hue }) => hues.includes(hue));
  const lit = useMemo(
    () => new Set((similar.files ?? []).flatMap(({ id }) => indexOf.get(id) ?? [])),
    [similar.files, indexOf],
  );
  return (
    <section class="file-plane" aria-label="Files as points">
      <Scatter
        points={places}
        lit={lit}
        hues={hues}
        names={names}
        picked={state.picked.value === undefined ? undefined : indexOf.get(state.picked.value)}
        onPick={(index) => (state.picked.value = points[index]?.file_id)}
        describe={(index) => describe(points[index])}
        label="Files, near each other where they are about the same"
      />
      <ColourKey entries={key} />
      <p class="quiet small">
        {points.length < MAP_FILES_WORTH_IT
          ? "Near each other is what is about the same. With a dozen files and more it begins to tell something."
          : "Near each other is what is about the same. The directions themselves mean nothing."}
        {onRedraw !== undefined && (
          <>
            {" "}
            Files came or went since this was drawn.{" "}
            <Button weight="link" onClick={onRedraw}>
              Draw anew
            </Button>
          </>
        )}
      </p>
    </section>
  );
}

function describe(point: MapPoint | undefined): string {
  if (point === undefined) return "";
  const { name, kind, local, holders } = point;
  const what = folderNameOf(name) === undefined ? kind : "folder";
  return `${isolated(shownName(name))} · ${what} · ${whereText(local, holders)}`;
}
