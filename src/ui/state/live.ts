/**
 * A value that is loaded from the node again and again: the last answer, and how to ask anew. However often it is asked,
 * one request is under way and at most one waits behind it. Called by lists, vectors-state and use-finding.
 */
import { type ReadonlySignal, signal } from "@preact/signals";

export interface Live<T> {
  /** The last answer; undefined before the first. */
  readonly value: ReadonlySignal<T | undefined>;
  /** Settles when an answer that was asked for after this call is there. @throws what the client throws */
  refresh(): Promise<void>;
  /** Changes the value shown until the next answer. */
  patch(change: (value: T) => T): void;
}

/** `keep`: what an answer becomes beside the last value shown. */
export function createLive<T>(
  load: () => Promise<T>,
  keep: (before: T | undefined, now: T) => T = (_, now) => now,
): Live<T> {
  const value = signal<T | undefined>(undefined);
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function ask(): Promise<void> {
    const now = await load();
    value.value = keep(value.value, now);
  }

  function refresh(): Promise<void> {
    if (running === undefined) {
      running = ask().finally(() => {
        running = undefined;
      });
      return running;
    }
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return refresh();
      });
    return next;
  }

  return {
    value,
    refresh,
    patch(change) {
      if (value.value !== undefined) value.value = change(value.value);
    },
  };
}
