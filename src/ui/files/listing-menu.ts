/** Tells peers of a file or folder that is here, or of it no more. Called by their rows; calls the client. */
import { shownName } from "../../spelling/folder-name.ts";
import type { MenuAction } from "../elements/menu.tsx";
import type { AppState } from "../state/app-state.ts";
import type { LocalFile } from "../state/entries.ts";

export function listingMenu(app: Pick<AppState, "client" | "files" | "toasts">, file: LocalFile): MenuAction {
  const run = async () => {
    try {
      await app.client.changeFile(file.id, { unlisted: !file.unlisted });
      app.toasts.show({
        text: {
          file: shownName(file.name),
          after: file.unlisted
            ? " is listed: your peers see it now."
            : " is unlisted: your peers don't see it any more, and its link still leads to it.",
        },
      });
      await app.files.refresh();
    } catch (error) {
      app.toasts.showError(error);
    }
  };
  const label = file.unlisted ? "List it for my peers" : "Unlist: only by its link";
  return { label, icon: file.unlisted ? "network" : "link", run: () => void run() };
}
