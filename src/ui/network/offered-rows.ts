/**
 * What others offer as rows, those of folders in these, and what of it a button gets. Called by network-screen and the rows of
 * folders; calls folders/grouped.
 */
import type { Folder } from "../../api/folders.ts";
import { folderLinks } from "../folders/folder-links.ts";
import { folderNameOf } from "../folders/folder-name.ts";
import { type FolderGroup, type Grouped, grouped } from "../folders/grouped.ts";
import type { FileLink } from "../links.ts";
import type { NetworkFile } from "../state/entries.ts";

export type OfferedFolderGroup = FolderGroup<NetworkFile>;

export type OfferedRow = NetworkFile | OfferedFolderGroup;

/** A file stands in folders alone if each of its holders offers one of them: no list takes from sight what others offer. */
export function offeredRows(
  files: readonly NetworkFile[],
  folders: ReadonlyMap<string, Folder>,
): Grouped<NetworkFile> {
  return grouped(files, folders, ({ peers }, lists) =>
    peers.every((peer) => lists.some((list) => list.peers.includes(peer))),
  );
}

/** Without the lists of folders, read or not: what a person would call files. */
export function offeredFiles(files: readonly NetworkFile[]): NetworkFile[] {
  return files.filter(({ name }) => folderNameOf(name) === undefined);
}

/** Not the list of a folder that could not be read. */
export function isGettable(row: OfferedRow): boolean {
  return "list" in row || folderNameOf(row.name) === undefined;
}

/** What the rows come to when all of it is got: files once each, and the lists of the folders that some are in. */
export function gettable(rows: readonly OfferedRow[]): { files: FileLink[]; lists: FileLink[] } {
  const files = new Map<string, FileLink>();
  const lists: FileLink[] = [];
  for (const row of rows.filter(isGettable)) {
    if ("list" in row) {
      const list = linkOf(row.list);
      lists.push(list);
      for (const file of folderLinks(row.folder, list))
        if (!files.has(file.fileId)) files.set(file.fileId, file);
    } else if (!files.has(row.id)) files.set(row.id, linkOf(row));
  }
  return { files: [...files.values()], lists };
}

/** The swarm knows who has it. */
export function linkOf({ id, name, size }: NetworkFile): FileLink {
  return { fileId: id, name, sizeBytes: size, addresses: [] };
}
