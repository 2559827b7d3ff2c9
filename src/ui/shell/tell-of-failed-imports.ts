/**
 * Tells of files that could not be shared: their rows say it to those who look at these. Called by presence; calls
 * state/toasts.
 */
import { effect, untracked } from "@preact/signals";
import type { AppState } from "../state/app-state.ts";
import { opening, plainText } from "../state/toasts.ts";

/** Of many that fail together the last. Runs until the function returned is called. */
export function tellOfFailedImports({
  imports,
  toasts,
  router,
}: Pick<AppState, "imports" | "toasts" | "router">): () => void {
  let told: ReadonlySet<number> = new Set();
  return effect(() => {
    const failed = imports.list.value.filter(({ state }) => state === "failed");
    const last = failed.findLast(({ id }) => !told.has(id));
    told = new Set(failed.map(({ id }) => id));
    if (last === undefined) return;
    const text = { file: last.name, after: ` could not be shared. ${last.error ?? ""}` };
    untracked(() => {
      if (router.route.value.screen === "files") toasts.say({ text: plainText(text), tone: "bad" });
      else toasts.show({ text, tone: "bad", action: opening(router, "files") });
    });
  });
}
