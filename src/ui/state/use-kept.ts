/** State of a screen that is as it was left for who goes back to it. Called by screens with lists or fields; calls places. */
import type { Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { useApp } from "./app-state.ts";

/** As `useSignal`, and the same signal again where the browser goes back to. `name`: one on its screen. */
export function useKept<T>(name: string, initial: T): Signal<T> {
  const { router } = useApp();
  return useMemo(() => router.place().kept(name, initial), [router, name]);
}
