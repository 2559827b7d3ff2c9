/** Puts files into the queue and shows it. Called by whatever takes files; calls state/imports. */
import { countText } from "../elements/quantities.ts";
import { MAX_FILES_A_DROP } from "../limits.ts";
import type { AppState } from "../state/app-state.ts";
import type { Given } from "./dropped-files.ts";

export const ONLY_THE_FIRST = `Only the first ${countText(MAX_FILES_A_DROP, "file")} are taken at once.`;

export function shareFiles(app: AppState, { files, isCut, unreadable }: Given): void {
  if (isCut) app.toasts.show({ text: ONLY_THE_FIRST });
  const [first, ...others] = unreadable;
  if (first !== undefined) {
    const more = others.length > 0 ? ` and ${countText(others.length, "other")}` : "";
    const after = `${more} could not be read and ${more === "" ? "is" : "are"} left out.`;
    app.toasts.show({ text: { file: first, after }, tone: "bad" });
  } else if (files.length === 0) {
    app.toasts.show({ text: "There was no file in that.", tone: "bad" });
  }
  if (files.length === 0) return;
  app.imports.add(files);
  app.router.go("files");
}
