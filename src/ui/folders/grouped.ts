/** Files as rows: those of folders stand in these, each by its path. Called by files-screen and network-screen. */
import type { Folder } from "../../api/folders.ts";
import type { LocalFile } from "../state/entries.ts";

/** A file of a folder that is among the files. */
export interface FileInFolder<F> {
  path: string;
  file: F;
}

export interface FolderGroup<F = LocalFile> {
  list: F;
  folder: Folder;
  files: readonly FileInFolder<F>[];
  /** Ids of what it holds, here or not, that stands in no other folder and is none. */
  own: readonly string[];
}

export interface Grouped<F> {
  /** In the order of the files: a folder where its list is. */
  rows: readonly (F | FolderGroup<F>)[];
  /** Without the lists that are rows of folders: what a person would call their files. */
  files: readonly F[];
}

/**
 * `folders`: by the ids of their lists, those too that are not among the files since their deletion can still be taken back. One
 * that is in another folder is a row of its own all the same, where it can be opened. `standsIn`: whether a file stands in the
 * folders that name it, and nowhere else.
 */
export function grouped<F extends { id: string }>(
  files: readonly F[],
  folders: ReadonlyMap<string, Folder>,
  standsIn: (file: F, lists: readonly F[]) => boolean = () => true,
): Grouped<F> {
  const here = new Map(files.map((file) => [file.id, file]));
  const holders = holdersOf(folders);
  const listsOf = (id: string) => (holders.get(id) ?? []).flatMap((list) => here.get(list) ?? []);
  const rows = files.flatMap((list): (F | FolderGroup<F>)[] => {
    const folder = folders.get(list.id);
    if (folder === undefined) {
      const lists = listsOf(list.id);
      return lists.length > 0 && standsIn(list, lists) ? [] : [list];
    }
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
export function withFolders<F extends { id: string }>(
  files: readonly F[],
  { rows }: Grouped<F>,
): Grouped<F>["rows"] {
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
      const lists = holders.get(id);
      if (lists === undefined) holders.set(id, [list]);
      else lists.push(list);
    }
  }
  return holders;
}
