/** A value of the host as the component sees it: drawn anew when it changes. Called by the parts of the settings. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Watched } from "../ports.ts";

export function useWatched<T>(watched: Watched<T>): T {
  const value = useSignal<T>(watched.value);
  useEffect(
    () =>
      watched.subscribe((next) => {
        value.value = next;
      }),
    [watched, value],
  );
  return value.value;
}
