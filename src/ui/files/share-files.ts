/** Puts files into the queue and shows it. Called by whatever takes files; calls state/imports. */
import { MAX_FILES_A_DROP } from "../limits.ts";
import type { AppState } from "../state/app-state.ts";
import type { Given } from "./dropped-files.ts";

export function shareFiles(app: AppState, { files, isCut }: Given): void {
  if (isCut) app.toasts.show({ text: `Only the first ${MAX_FILES_A_DROP} files are taken at once.` });
  if (files.length === 0) {
    app.toasts.show({ text: "There was no file in that.", tone: "bad" });
    return;
  }
  app.imports.add(files);
  app.router.go("files");
}
