/**
 * What others offer as rows, those of folders in these, and what of it a button gets. Called by network-screen and the rows of
 * folders; calls folders/grouped.
 */
import type { Folder } from "../../api/folders.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { folderLinks } from "../folders/folder-links.ts";
import { isWhole } from "../folders/folder-share.ts";
import { type FolderGroup, type Grouped, grouped } from "../folders/grouped.ts";
import { type FileLink, linkOf } from "../links.ts";
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

export interface Gettable {
  /** Once each, those of folders by their paths in these. */
  files: FileLink[];
  /** Lists of the folders that some of the files are in. */
  folders: FileLink[];
  /** More is offered than is got together. */
  isPart: boolean;
}

/**
 * What the rows come to when all of it is got: whole rows, from the first, with `maxFiles` at most, unless the first
 * has more. Rows of which all is here take nothing's place.
 * @param here ids of files of which all is here
 */
export function gettable(rows: readonly OfferedRow[], here: ReadonlySet<string>, maxFiles: number): Gettable {
  const files = new Map<string, FileLink>();
  const folders: FileLink[] = [];
  const all = rows.filter(isGettable);
  const isHere = (row: OfferedRow) => ("list" in row ? isWhole(row.folder, here) : here.has(row.id));
  const left = all.filter((row) => !isHere(row));
  for (const row of left.length > 0 ? left : all) {
    const links = "list" in row ? folderLinks(row.folder, linkOf(row.list)) : [linkOf(row)];
    const added = links.filter(({ fileId }) => !files.has(fileId));
    if (files.size > 0 && files.size + added.length > maxFiles)
      return { files: [...files.values()], folders, isPart: true };
    for (const link of added) files.set(link.fileId, link);
    if ("list" in row) folders.push(linkOf(row.list));
  }
  return { files: [...files.values()], folders, isPart: false };
}
