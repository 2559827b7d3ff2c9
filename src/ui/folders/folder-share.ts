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
  const missing = files.map(({ file_id }) => file_id).filter((id) => !wholeFiles.value.has(id));
  const coming = missing.filter((id) => awaitedFiles.value.has(id));
  const others = missing.filter((id) => !awaitedFiles.value.has(id));
  const latestOf = (id: string) => transfersOf.value.get(id)?.[0];
  const isWaiting = (id: string) => {
    const latest = latestOf(id);
    return latest?.status === "interrupted" && !latest.paused;
  };
  return {
    here: files.length - missing.length,
    coming: coming.length,
    waiting: coming.filter(isWaiting).length,
    failed: others.filter((id) => latestOf(id)?.status === "failed").length,
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
  if (share === undefined && isAsking) return "What is in it is being asked for.";
  if (share === undefined || (!isAsking && share.here + share.coming + share.failed === 0))
    return "What is in it is known here. Open it to get all of its files.";
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
