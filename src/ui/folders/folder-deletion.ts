/**
 * What a folder's menu has for deleting it: with its files, those of other folders left, or the folder alone. Called by
 * folder-row; calls state/deletions.
 */
import type { MenuAction } from "../elements/menu.tsx";
import { countText } from "../elements/quantities.ts";
import type { AppState } from "../state/app-state.ts";
import { opening } from "../state/toasts.ts";
import { keepsFile } from "../transfers/transfer-words.ts";
import type { FolderGroup } from "./grouped.ts";

export function deletionMenu(app: AppState, { list, folder, files, own }: FolderGroup): MenuAction[] {
  const alone: MenuAction = {
    label: own.length > 0 ? "Delete folder, keep files" : "Delete folder",
    icon: "remove",
    tone: "danger",
    run: () => app.deletions.request({ ...list, after: files.length > 0 ? ". Its files stay." : "." }),
  };
  if (own.length === 0) return [alone];
  const deleteAll = () => {
    const coming = comingOf(app, folder);
    if (coming > 0) {
      app.toasts.show({ text: notYet(list.name, coming), action: opening(app.router, "transfers") });
    } else {
      const their = own.length < files.length ? `${own.length} of its ` : "its ";
      const after = ` and ${their}${countText(files.length, "file")}.`;
      app.deletions.request({ ...list, files: own, after });
    }
  };
  return [alone, { label: "Delete folder and files", icon: "remove", tone: "danger", run: deleteAll }];
}

/** Of how many files a transfer is not over: those that it has brought nothing of yet are not listed. */
function comingOf({ transfers }: AppState, folder: FolderGroup["folder"]): number {
  const ids = new Set(folder.files.map(({ file_id }) => file_id));
  return (
    transfers.value.value?.filter((transfer) => ids.has(transfer.file_id) && keepsFile(transfer)).length ?? 0
  );
}

function notYet(file: string, coming: number) {
  const [before, its] =
    coming === 1 ? ["A file of ", "its transfer"] : [`${countText(coming, "file")} of `, "their transfers"];
  const after = ` ${coming === 1 ? "is" : "are"} not all here yet. Cancel ${its} first, then delete the folder.`;
  return { before, file, after };
}
