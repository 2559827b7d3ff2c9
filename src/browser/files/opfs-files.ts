/**
 * Files of the origin private file system: what `file_path` and `output_path` name in a page. Opened by open-media; reads
 * sources here, has outputs written by opfs-files-work in the storage worker.
 */
import { type Remote, transfer } from "comlink";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { safeFileName } from "../../sharing/file-name.ts";
import { checkFolderCount } from "../../sharing/folders/folder.ts";
import type { FileOutput, Files, FolderListing } from "../../sharing/ports.ts";
import { hasName } from "../storage/medium-errors.ts";
import { folderAt } from "../storage/opfs-folders.ts";
import { storageFreeBytes } from "../storage/storage-persistence.ts";
import { noFiles } from "./no-files.ts";
import { type OpfsPlace, parseOpfsPath } from "./opfs-files-paths.ts";
import type { OpfsFilesWork } from "./opfs-files-work.ts";
import { fileSource } from "./storage-file-source.ts";

export interface OpfsFilesOptions {
  /** Of the storage worker. */
  work: Remote<OpfsFilesWork>;
  /** The origin's own by default. */
  root?: FileSystemDirectoryHandle;
}

/** Removes what outputs of an earlier page left unfinished. */
export async function openOpfsFiles(options: OpfsFilesOptions): Promise<Files> {
  const { work, root = await originRoot() } = options;
  if (root === undefined) return noFiles();
  await work.open(root);
  const openSource = async (path: string) => {
    const place = parseOpfsPath(path);
    return fileSource(await (await findFile(root, place)).getFile());
  };
  return {
    openSource,
    openPlaced: openSource,

    async listFolder(path) {
      const place = parseOpfsPath(path);
      const base = [...place.folders, place.name];
      const files: FolderListing["files"] = [];
      for await (const parts of filesIn(await findFolder(root, base), [])) {
        checkFolderCount(files.length + 1);
        files.push({ path: parts.map(safeFileName).join("/"), source: [...base, ...parts].join("/") });
      }
      return { name: place.name, files };
    },

    async openOutput(path, { overwrite }) {
      const place = parseOpfsPath(path);
      const id = await work.openOutput(place, overwrite);
      return new OpfsOutput(work, id, pathOf(place));
    },

    async outputPath(path, { overwrite }) {
      const place = parseOpfsPath(path);
      await work.checkOutput(place, overwrite);
      return pathOf(place);
    },
  };
}

/** Undefined where the engine keeps it from the page. */
async function originRoot(): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await navigator.storage.getDirectory();
  } catch (error) {
    if (hasName(error, "SecurityError")) return undefined;
    throw error;
  }
}

function pathOf({ folders, name }: OpfsPlace): string {
  return [...folders, name].join("/");
}

async function findFile(
  root: FileSystemDirectoryHandle,
  { folders, name }: OpfsPlace,
): Promise<FileSystemFileHandle> {
  try {
    return await (await folderAt(root, folders)).getFileHandle(name);
  } catch (error) {
    throw pathError(error, "file");
  }
}

async function findFolder(
  root: FileSystemDirectoryHandle,
  names: readonly string[],
): Promise<FileSystemDirectoryHandle> {
  try {
    return await folderAt(root, names);
  } catch (error) {
    throw pathError(error, "folder");
  }
}

function pathError(error: unknown, what: "file" | "folder"): unknown {
  if (hasName(error, "NotFoundError", "TypeError")) {
    return new SharingError("file_missing", `there is no such ${what}`, { cause: error });
  }
  if (hasName(error, "TypeMismatchError")) {
    return new SharingError("bad_request", `the path names no ${what}`, { cause: error });
  }
  return error;
}

/** The names on the way to each file, hidden ones left out. */
async function* filesIn(
  folder: FileSystemDirectoryHandle,
  parts: readonly string[],
): AsyncGenerator<string[]> {
  for await (const entry of folder.values()) {
    if (entry.name.startsWith(".")) continue;
    const inside = [...parts, entry.name];
    if (entry.kind === "file") yield inside;
    else yield* filesIn(entry as FileSystemDirectoryHandle, inside);
  }
}

class OpfsOutput implements FileOutput {
  readonly path: string;
  readonly #work: Remote<OpfsFilesWork>;
  readonly #id: number;
  #ended = false;

  constructor(work: Remote<OpfsFilesWork>, id: number, path: string) {
    this.#work = work;
    this.#id = id;
    this.path = path;
  }

  freeBytes(): Promise<number> {
    return storageFreeBytes();
  }

  /** A copy goes to the worker: the caller's buffer stays the caller's. */
  async write(offset: number, bytes: Uint8Array): Promise<void> {
    this.#check();
    const copy = new Uint8Array(bytes);
    await this.#work.write(this.#id, offset, transfer(copy, [copy.buffer]));
  }

  async commit(sizeBytes: number): Promise<void> {
    this.#check();
    await this.#work.commit(this.#id, sizeBytes);
    this.#ended = true;
  }

  async discard(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      await this.#work.discard(this.#id);
    } catch (error) {
      // What a worker that has ended left unfinished is removed at the next start.
      if (!isSharingError(error, "stopped")) throw error;
    }
  }

  #check(): void {
    if (this.#ended) throw new SharingError("stopped", "the output has been committed or discarded");
  }
}
