/**
 * The files in what was dropped, pasted or chosen, folders opened up. Called by drop-anywhere and add-files. Source: the File and Directory
 * Entries API (WICG), which all engines share; entries must be taken before the event ends.
 */
import { MAX_FILES_A_DROP } from "../limits.ts";
import type { GivenFile } from "../state/imports.ts";

export interface Given {
  /** At most MAX_FILES_A_DROP. */
  files: GivenFile[];
  /** There were more. */
  isCut: boolean;
}

export async function droppedFiles(data: DataTransfer): Promise<Given> {
  const entries = [...data.items].flatMap((item) => {
    const entry = item.kind === "file" ? item.webkitGetAsEntry() : null;
    return entry === null ? [] : [entry];
  });
  if (entries.length === 0) return givenFiles([...data.files]);
  const files: GivenFile[] = [];
  for (const entry of entries) {
    for await (const file of filesIn(entry, "")) {
      files.push(file);
      if (files.length > MAX_FILES_A_DROP) return cut(files);
    }
  }
  return cut(files);
}

/** Those that were picked: files of a folder that was chosen tell their way. */
export function givenFiles(files: readonly File[]): Given {
  const given = files.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return cut(given.filter(({ path }) => !isHidden(path)));
}

/** What systems and programs keep for themselves in a folder, as the headless node leaves it out; a hidden file by itself was meant. */
function isHidden(path: string): boolean {
  return path
    .split("/")
    .slice(1)
    .some((part) => part.startsWith("."));
}

function cut(files: GivenFile[]): Given {
  return { files: files.slice(0, MAX_FILES_A_DROP), isCut: files.length > MAX_FILES_A_DROP };
}

/** `above`: the folders that it stands in, a slash behind each. */
async function* filesIn(entry: FileSystemEntry, above: string): AsyncGenerator<GivenFile> {
  const path = above + entry.name;
  if (isHidden(path)) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    yield { file, path };
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives a hundred at a time, and none when it is through.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const inside of some) yield* filesIn(inside, `${path}/`);
  }
}
