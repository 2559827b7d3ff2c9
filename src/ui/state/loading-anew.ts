/** How the page loads anew: with a version that waits, or as it is. Made by app-state; calls the host. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { UiHost } from "../ports.ts";
import { watched } from "./watched.ts";

export interface LoadingAnew {
  /** A new version waits; called, it takes over. Undefined while files are read, which that would end. */
  readonly update: ReadonlySignal<(() => void) | undefined>;
  /** The page loads anew because a person said so, and goes on with all that it does. */
  readonly isReloading: ReadonlySignal<boolean>;
  reload(): void;
}

/** Lives until `stop` aborts. */
export function createLoadingAnew(
  { update }: Pick<UiHost, "update">,
  isReading: ReadonlySignal<boolean>,
  page: Window,
  stop: AbortSignal,
): LoadingAnew {
  const isReloading = signal(false);
  const offered = watched(update, stop);
  /** One function for each version, by which an offer that was put off or agreed to is known. */
  const takeOver = computed(() => {
    const apply = offered.value;
    if (apply === undefined) return undefined;
    return () => {
      isReloading.value = true;
      apply();
    };
  });
  return {
    update: computed(() => (isReading.value ? undefined : takeOver.value)),
    isReloading,
    reload() {
      isReloading.value = true;
      page.location.reload();
    },
  };
}
