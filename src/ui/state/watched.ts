/** A value of the host as a signal. Called by app-state; lives as long as the page. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Watched } from "../ports.ts";

export function watched<T>(source: Watched<T>): ReadonlySignal<T> {
  const value = signal(source.value);
  source.subscribe((now) => {
    value.value = now;
  });
  return value;
}
