/** Map: the files here and those that others offer, near each other where they are about the same. Called by the shell. */
import { useEffect, useMemo } from "preact/hooks";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { countText, numberText } from "../elements/quantities.ts";
import { ReadingLine } from "../finding/reading-line.tsx";
import { useSimilar } from "../finding/use-similar.ts";
import { MAP_FILES_WORTH_IT, SEARCH_STATUS_INTERVAL_MS } from "../limits.ts";
import { useApp } from "../state/app-state.ts";
import { usePolled } from "../state/poll.ts";
import { createFileMapState, type MapPoint } from "./file-map-state.ts";
import { FilePlane } from "./file-plane.tsx";
import { NoMap } from "./no-map.tsx";
import { PickedFile } from "./picked-file.tsx";
import { PointList } from "./point-list.tsx";
import "./map-screen.css";

export function MapScreen() {
  const { client, phase, files, network } = useApp();
  const isRunning = phase.value.phase === "running";
  const stop = useMemo(() => new AbortController(), []);
  const state = useMemo(() => createFileMapState(client, stop.signal), [client, stop]);
  useEffect(() => () => stop.abort(), [stop]);
  const status = usePolled(() => client.searchStatus(), SEARCH_STATUS_INTERVAL_MS, "map", isRunning).value;

  const similar = useSimilar(state.pickedPoint.value?.file_id);

  const now = [status?.indexed, files.value.value?.length, network.value.value?.length].join(" ");
  const map = state.map.value;
  const isOld = map !== undefined && map.drawnOf !== now && status?.state === "ready";
  // A map that somebody reads stays as it is until they want another; one of hardly anything grows by itself.
  const isDue =
    status?.state === "ready" && (map === undefined || (isOld && map.points.length < MAP_FILES_WORTH_IT));
  useEffect(() => {
    if (isDue) void state.redrawFor(now);
  }, [isDue, now, state]);

  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Map</h1>
        {map !== undefined && map.points.length > 0 && (
          <p class="quiet figures">
            {drawnText(map.points)}
            {map.total > map.points.length && `, an even choice of ${numberText(map.total)}`}
          </p>
        )}
      </header>
      {map === undefined || map.points.length === 0 ? (
        <NoMap status={status} failure={state.failure.value} onRetry={() => void state.redrawFor(now)} />
      ) : (
        <>
          {state.failure.value !== undefined && (
            <p role="alert">The map could not be drawn anew. {state.failure.value}</p>
          )}
          <div class="map-finding">
            <FilePlane
              state={state}
              map={map}
              similar={similar}
              {...(isOld && { onRedraw: () => void state.redrawFor(now) })}
            />
            <PickedFile state={state} similar={similar} />
          </div>
          <PointList state={state} map={map} />
        </>
      )}
      {/* At the end, for it comes and goes by itself. */}
      <ReadingLine status={status} />
    </div>
  );
}

/** A folder is a point beside those of its files. */
function drawnText(points: readonly MapPoint[]): string {
  const folderCount = points.filter(({ name }) => folderNameOf(name) !== undefined).length;
  const fileCount = points.length - folderCount;
  const counts = [
    ...(fileCount > 0 ? [countText(fileCount, "file")] : []),
    ...(folderCount > 0 ? [countText(folderCount, "folder")] : []),
  ];
  return counts.join(", ");
}
