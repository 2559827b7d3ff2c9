/**
 * What a folder's menu has for deleting it: with its files, those of other folders left, or the folder alone. Called by
 * folder-row; calls state/deletions.
 */
import type { MenuAction } from "../elements/menu.tsx";
import { countText } from "../elements/quantities.ts";
import type { AppState } from "../state/app-state.ts";
import { comingFiles } from "./coming-files.ts";
import type { FolderGroup } from "./grouped.ts";

export function deletionMenu(app: AppState, { list, files, own }: FolderGroup): MenuAction[] {
  const inIt = new Set(files.map(({ file }) => file.id));
  const here = own.filter((id) => inIt.has(id));
  const coming = comingFiles(own, app.transfers.value.value ?? [], app.deletions.hidden.value);
  const going = [...new Set([...here, ...coming])];
  const alone: MenuAction = {
    label: going.length > 0 ? "Delete folder, keep files" : "Delete folder",
    icon: "remove",
    tone: "danger",
    run: () => app.deletions.request({ ...list, after: files.length > 0 ? ". Its files stay." : "." }),
  };
  if (going.length === 0) return [alone];
  const some = here.length < inIt.size ? `${here.length} of its ` : "its ";
  const after = [
    here.length > 0 ? ` and ${some}${countText(inIt.size, "file")}` : "",
    coming.length > 0 ? `, cancelling ${countText(coming.length, "transfer")}` : "",
    ".",
  ].join("");
  const deleteAll = () => app.deletions.request({ ...list, files: going, after });
  return [alone, { label: "Delete folder and files", icon: "remove", tone: "danger", run: deleteAll }];
}
