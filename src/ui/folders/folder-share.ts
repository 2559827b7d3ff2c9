/** How much of a folder is here, in figures and words. Called by what gets and saves folders. */
import type { ReadonlySignal } from "@preact/signals";
import type { Folder } from "../../api/folders.ts";
import { countText, numberText } from "../elements/quantities.ts";

export interface FolderShare {
  here: number;
  /** Of the others those that were asked for, and have not come yet. */
  coming: number;
  of: number;
}

/** Of the app. */
interface Known {
  wholeFiles: ReadonlySignal<ReadonlySet<string>>;
  awaitedFiles: ReadonlySignal<ReadonlySet<string>>;
}

export function folderShareOf({ wholeFiles, awaitedFiles }: Known, { files }: Folder): FolderShare {
  const missing = files.filter(({ file_id }) => !wholeFiles.value.has(file_id));
  const coming = missing.filter(({ file_id }) => awaitedFiles.value.has(file_id));
  return { here: files.length - missing.length, coming: coming.length, of: files.length };
}

/** `here`: ids of files of which all is here. */
export function isWhole({ files }: Folder, here: ReadonlySet<string>): boolean {
  return files.every(({ file_id }) => here.has(file_id));
}

/**
 * Of one that is not whole, and what can be done about that; undefined where its list was not read. `isAsking`: what is missing
 * is being asked for, a file after the other.
 */
export function folderText(share: FolderShare | undefined, isAsking: boolean): string {
  if (share === undefined || (share.here + share.coming === 0 && !isAsking))
    return "What is in it is known here. Open it to get all of its files.";
  const { here, coming, of } = share;
  if (isAsking) return `${numberText(here)} of ${countText(of, "file")} here, the rest is being asked for.`;
  const stands = `${numberText(here)} of ${countText(of, "file")} here${coming > 0 ? `, ${numberText(coming)} asked for` : ""}.`;
  return here + coming < of ? `${stands} Open it to get the others.` : stands;
}
