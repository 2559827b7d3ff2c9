/**
 * Whether what is shared next is told of to nobody: kept for this browser. Made by app-state, changed by unlisted-switch;
 * read as files are taken.
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import { remember, remembered } from "../remembered.ts";

export interface UnlistedChoice {
  readonly isUnlisted: ReadonlySignal<boolean>;
  choose(isUnlisted: boolean): void;
}

const KEY = "shoal-unlisted";

export function createUnlistedChoice(): UnlistedChoice {
  const isUnlisted = signal(remembered(KEY) !== undefined);
  return {
    isUnlisted,
    choose(choice) {
      isUnlisted.value = choice;
      remember(KEY, choice ? "yes" : undefined);
    },
  };
}
