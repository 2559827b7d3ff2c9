/** What was asked for by links and has not come into the lists yet, also once its screen was left. Made by app-state. */
import { type ReadonlySignal, signal } from "@preact/signals";

/** `waiting`: for a node that runs. `asking for all`: that is in a folder, beside its list. */
export type AskedState = "waiting" | "asking" | "asking for all";

export interface Asked {
  /** By the ids of files, as their links spell them. */
  readonly states: ReadonlySignal<ReadonlyMap<string, AskedState>>;
  set(fileId: string, state: AskedState | undefined): void;
}

export function createAsked(): Asked {
  const states = signal<ReadonlyMap<string, AskedState>>(new Map());
  return {
    states,
    set(fileId, state) {
      const next = new Map(states.value);
      if (state === undefined) next.delete(fileId);
      else next.set(fileId, state);
      states.value = next;
    },
  };
}
