/** How much of a folder is here, in figures and words. Called by get-screen. */
import { countText, numberText } from "../elements/quantities.ts";
import type { AppState } from "../state/app-state.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";

export interface FolderShare {
  here: number;
  /** Of the others those that were asked for, and have not come yet. */
  coming: number;
  of: number;
}

/** Undefined where its list was not read. */
export function folderShareOf(
  { files, listing, transfers }: Pick<AppState, "files" | "listing" | "transfers">,
  listId: string,
): FolderShare | undefined {
  const inIt = listing.value?.folders.get(listId)?.files;
  if (inIt === undefined) return undefined;
  const here = new Set(files.value.value?.flatMap(({ id, complete }) => (complete ? [id] : [])));
  const coming = new Set(
    transfers.value.value?.flatMap((entry) => (isUnfinished(entry) ? [entry.file_id] : [])),
  );
  const missing = inIt.filter(({ file_id }) => !here.has(file_id));
  return {
    here: inIt.length - missing.length,
    coming: missing.filter(({ file_id }) => coming.has(file_id)).length,
    of: inIt.length,
  };
}

/** Of one that is not whole, and what can be done about that. */
export function folderText(share: FolderShare | undefined): string {
  if (share === undefined || share.here + share.coming === 0)
    return "What is in it is known here. Open it to get all of its files.";
  const { here, coming, of } = share;
  const stands = `${numberText(here)} of ${countText(of, "file")} here${coming > 0 ? `, ${numberText(coming)} asked for` : ""}.`;
  return here + coming < of ? `${stands} Open it to get the others.` : stands;
}
