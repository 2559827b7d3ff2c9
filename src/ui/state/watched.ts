/** A value of the host as a signal. Called by app-state and loading-anew. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Watched } from "../ports.ts";

/** Lives until `stop` aborts. */
export function watched<T>(source: Watched<T>, stop: AbortSignal): ReadonlySignal<T> {
  const value = signal(source.value);
  const unsubscribe = source.subscribe((now) => {
    value.value = now;
  });
  stop.addEventListener("abort", unsubscribe);
  return value;
}
