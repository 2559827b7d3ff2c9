/**
 * What the parts of the map share: the points as the node gave them, the file that is picked, and whether files came or went
 * since. Made by map-screen for as long as it is drawn; calls the client.
 */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { messageOf } from "../state/toasts.ts";

type Answer = Awaited<ReturnType<ShoalClient["fileMap"]>>;
export type MapPoint = Answer["points"][number];

export interface DrawnMap {
  points: readonly MapPoint[];
  /** Row-major [count, 2]. */
  places: Float32Array;
  /** By file id. */
  indexOf: ReadonlyMap<string, number>;
  /** Files that were read, of which the points may be a sample. */
  total: number;
  /** What the map was drawn of, in the words of `redrawFor`. */
  drawnOf: string;
}

export interface FileMapState {
  readonly map: ReadonlySignal<DrawnMap | undefined>;
  /** Why the last drawing failed. */
  readonly failure: ReadonlySignal<string | undefined>;
  readonly picked: Signal<string | undefined>;
  readonly pickedPoint: ReadonlySignal<MapPoint | undefined>;
  /** `drawnOf`: names the state of the files, so that another one tells that the map is old. */
  redrawFor(drawnOf: string): Promise<void>;
}

/** Lives until `stop` aborts. */
export function createFileMapState(client: ShoalClient, stop: AbortSignal): FileMapState {
  const map = signal<DrawnMap | undefined>(undefined);
  const failure = signal<string | undefined>(undefined);
  const picked = signal<string | undefined>(undefined);
  let asked = 0;
  let told = 0;
  /** Whether nothing newer is told yet. Not only of the last that was asked for: files may change faster than maps come. */
  const isNews = (turn: number) => {
    if (stop.aborted || turn < told) return false;
    told = turn;
    return true;
  };
  return {
    map,
    failure,
    picked,
    pickedPoint: computed(() => {
      const index = picked.value === undefined ? undefined : map.value?.indexOf.get(picked.value);
      return index === undefined ? undefined : map.value?.points[index];
    }),
    async redrawFor(drawnOf) {
      const turn = ++asked;
      try {
        const answer = await client.fileMap({ signal: stop });
        if (!isNews(turn)) return;
        map.value = drawnMap(answer, drawnOf);
        failure.value = undefined;
      } catch (error) {
        if (isNews(turn)) failure.value = messageOf(error);
      }
    },
  };
}

function drawnMap({ points, total }: Answer, drawnOf: string): DrawnMap {
  const places = new Float32Array(points.length * 2);
  points.forEach(({ x, y }, index) => {
    places.set([x, y], index * 2);
  });
  const indexOf = new Map(points.map(({ file_id }, index) => [file_id, index]));
  return { points, places, indexOf, total, drawnOf };
}
