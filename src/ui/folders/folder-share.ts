/** How much of a folder is here, in figures and words. Called by what gets and saves folders. */
import type { ReadonlySignal } from "@preact/signals";
import type { Folder } from "../../api/folders.ts";
import { countText, numberText } from "../elements/quantities.ts";
import type { Transfer } from "../state/entries.ts";

export interface FolderShare {
  here: number;
  /** Of the others those that were asked for, and have not come yet. */
  coming: number;
  /** Of these those that go on once a peer who has them is there. */
  waiting: number;
  /** Neither here nor coming: what was asked for last failed. */
  failed: number;
  of: number;
}

/** Of the app. */
interface Known {
  wholeFiles: ReadonlySignal<ReadonlySet<string>>;
  awaitedFiles: ReadonlySignal<ReadonlySet<string>>;
  transfersOf: ReadonlySignal<ReadonlyMap<string, readonly Pick<Transfer, "status" | "paused">[]>>;
}

export function folderShareOf(
  { wholeFiles, awaitedFiles, transfersOf }: Known,
  { files }: Folder,
): FolderShare {
  const missing = files.filter(({ file_id }) => !wholeFiles.value.has(file_id));
  const coming = missing.filter(({ file_id }) => awaitedFiles.value.has(file_id));
  const latestOf = ({ file_id }: Folder["files"][number]) => transfersOf.value.get(file_id)?.[0];
  const isWaiting = (file: Folder["files"][number]) => {
    const latest = latestOf(file);
    return latest?.status === "interrupted" && !latest.paused;
  };
  return {
    here: files.length - missing.length,
    coming: coming.length,
    waiting: coming.filter(isWaiting).length,
    failed: missing.filter(
      (file) => latestOf(file)?.status === "failed" && !awaitedFiles.value.has(file.file_id),
    ).length,
    of: files.length,
  };
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
  if (share === undefined || (share.here + share.coming + share.failed === 0 && !isAsking))
    return isAsking
      ? "What is in it is being asked for."
      : "What is in it is known here. Open it to get all of its files.";
  const { here, coming, waiting, failed, of } = share;
  const hereText = `${numberText(here)} of ${countText(of, "file")} here`;
  if (isAsking) return `${hereText}, the rest is being asked for.`;
  const stands = [
    hereText,
    ...(coming > waiting ? [`${numberText(coming - waiting)} asked for`] : []),
    ...(waiting > 0
      ? [`${numberText(waiting)} waiting for a peer who has ${waiting === 1 ? "it" : "them"}`]
      : []),
    ...(failed > 0 ? [`${numberText(failed)} failed`] : []),
  ].join(", ");
  return here + coming + failed < of ? `${stands}. Open it to get the others.` : `${stands}.`;
}
