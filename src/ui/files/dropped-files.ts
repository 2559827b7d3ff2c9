/**
 * The files in what was dropped, pasted or chosen, folders opened up. Called by drop-anywhere and add-files. Source:
 * the File and Directory Entries API (WICG), which all engines share; entries must be taken before the event ends.
 */
import { byPath } from "../elements/by-name.ts";
import { MAX_FILES_A_DROP } from "../limits.ts";
import type { GivenFile } from "../state/imports.ts";

export interface Given {
  /** At most MAX_FILES_A_DROP, in the order of their paths: disks and pickers have one of their own. */
  files: GivenFile[];
  /** There were more. */
  isCut: boolean;
  /** Paths of files and folders that could not be read, in their order. */
  unreadable: string[];
}

export async function droppedFiles(data: DataTransfer): Promise<Given> {
  const entries = [...data.items].flatMap((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    return entry === null ? [] : [entry];
  });
  if (entries.length === 0) return givenFiles([...data.files]);
  const files: GivenFile[] = [];
  const unreadable: string[] = [];
  for (const entry of entries) {
    for await (const file of filesIn(entry, "", unreadable)) {
      files.push(file);
      if (files.length > MAX_FILES_A_DROP) return cut(files, unreadable);
    }
  }
  return cut(files, unreadable);
}

/** Those that were picked: files of a folder that was chosen tell their way. */
export function givenFiles(files: readonly File[]): Given {
  const given = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return cut(given.filter(({ path }) => !isHidden(path)));
}

/**
 * What systems and programs keep for themselves in a folder, as the headless node leaves it out; a hidden file by
 * itself was meant.
 */
function isHidden(path: string): boolean {
  return path
    .split("/")
    .slice(1)
    .some((part) => part.startsWith("."));
}

function cut(files: readonly GivenFile[], unreadable: string[] = []): Given {
  const sorted = files.toSorted(byPath);
  return { files: sorted.slice(0, MAX_FILES_A_DROP), isCut: files.length > MAX_FILES_A_DROP, unreadable };
}

/** `above`: the folders that it stands in, a slash behind each. What can't be read is put down in `unreadable`. */
async function* filesIn(
  entry: FileSystemEntry,
  above: string,
  unreadable: string[],
): AsyncGenerator<GivenFile> {
  const path = above + entry.name;
  if (isHidden(path)) return;
  if (entry.isFile) {
    const file = await readable<File>((...told) => (entry as FileSystemFileEntry).file(...told));
    if (file === undefined) unreadable.push(path);
    else yield { file, path };
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives a hundred at a time, and none when it is through.
  for (;;) {
    const some = await readable<FileSystemEntry[]>((...told) => reader.readEntries(...told));
    if (some === undefined) unreadable.push(path);
    if (some === undefined || some.length === 0) return;
    for (const inside of some) yield* filesIn(inside, `${path}/`, unreadable);
  }
}

/** What is read, or nothing where the system refuses it: others that were dropped with it are no worse for that. */
function readable<T>(
  read: (onRead: (value: T) => void, onRefused: () => void) => void,
): Promise<T | undefined> {
  return new Promise((resolve) => read(resolve, () => resolve(undefined)));
}
