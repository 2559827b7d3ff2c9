/** Files as rows: those of folders stand in these, each by its path. Called by files-screen. */
import type { Folder } from "../../api/folders.ts";
import type { LocalFile } from "../state/entries.ts";

/** A file of a folder that is here, or on its way. */
export interface FileInFolder {
  path: string;
  file: LocalFile;
}

export interface FolderGroup {
  list: LocalFile;
  folder: Folder;
  files: readonly FileInFolder[];
  /** Ids of what it holds, here or not, that stands in no other folder and is none. */
  own: readonly string[];
}

export interface Grouped {
  /** In the order of the files: a folder where its list is. */
  rows: readonly (LocalFile | FolderGroup)[];
  /** Without the lists that are rows of folders: what a person would call their files. */
  files: readonly LocalFile[];
}

/**
 * `folders`: by the ids of their lists, those too that are not among the files since their deletion can still be taken back. One
 * that is in another folder is a row of its own all the same, where it can be opened.
 */
export function grouped(files: readonly LocalFile[], folders: ReadonlyMap<string, Folder>): Grouped {
  const here = new Map(files.map((file) => [file.id, file]));
  const holders = holdersOf(folders);
  const isInFolder = (id: string) => holders.get(id)?.some((list) => here.has(list)) === true;
  const rows = files.flatMap((list): (LocalFile | FolderGroup)[] => {
    const folder = folders.get(list.id);
    if (folder === undefined) return isInFolder(list.id) ? [] : [list];
    const inIt = folder.files.flatMap(({ path, file_id }) => {
      const file = here.get(file_id);
      return file === undefined ? [] : [{ path, file }];
    });
    const ids = new Set(folder.files.map(({ file_id }) => file_id));
    const own = [...ids].filter((id) => holders.get(id)?.length === 1 && !folders.has(id));
    return [{ list, folder, files: inIt, own }];
  });
  return { rows, files: files.filter(({ id }) => !folders.has(id)) };
}

/** Files as they stand, but for the lists among them, which are the folders that they are in `grouped`. */
export function withFolders(files: readonly LocalFile[], { rows }: Grouped): Grouped["rows"] {
  const groups = new Map(rows.flatMap((row) => ("list" in row ? [[row.list.id, row] as const] : [])));
  return files.map((file) => {
    const group = groups.get(file.id);
    // What was found of it stands with the list.
    return group === undefined ? file : { ...group, list: file };
  });
}

/** The lists that name a file, by its id. */
export function holdersOf(folders: ReadonlyMap<string, Folder>): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const [list, { files }] of folders) {
    for (const id of new Set(files.map(({ file_id }) => file_id))) {
      holders.set(id, [...(holders.get(id) ?? []), list]);
    }
  }
  return holders;
}
