/**
 * Writes outputs into the origin private file system, in the storage worker: only a worker has sync access handles. Called
 * by opfs-files over Comlink. An output is written in a folder of its own and moved to its place when it is whole, so it
 * is visible there at once or not at all. Source: WHATWG File System Standard.
 */
import { SharingError } from "../../sharing/errors.ts";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import { COMMITS_AT_ONCE } from "../limits.ts";
import { storageError } from "../storage/idb-errors.ts";
import { hasName, NO_MORE_ROOM } from "../storage/medium-errors.ts";
import { folderAt } from "../storage/opfs-folders.ts";
import { whenFree } from "../storage/when-free.ts";
import { type OpfsPlace, UNFINISHED_FOLDERS } from "./opfs-files-paths.ts";

interface Output {
  place: OpfsPlace;
  overwrite: boolean;
  partial: FileSystemFileHandle;
  /** Undefined once it is closed for a commit. */
  handle: FileSystemSyncAccessHandle | undefined;
}

export class OpfsFilesWork {
  #root: FileSystemDirectoryHandle | undefined;
  readonly #outputs = new Map<number, Output>();
  /** Commits to one place, one after another. */
  readonly #commits = new KeyedQueue(COMMITS_AT_ONCE);
  #lastId = 0;

  /** Comes before all else; removes what an earlier page left unfinished, but for what one that stands still has open. */
  async open(root: FileSystemDirectoryHandle): Promise<void> {
    const unfinished = await makeFolders(root, UNFINISHED_FOLDERS);
    const names = await namesIn(unfinished);
    await Promise.all(names.map((name) => whenFree(() => unfinished.removeEntry(name)).catch(leaveLocked)));
    this.#root = root;
  }

  /** @throws SharingError `output_exists`, `bad_request` */
  async checkOutput({ folders, name }: OpfsPlace, overwrite: boolean): Promise<void> {
    // Its folders are made at the commit, so that none stands there for nothing.
    const folder = await findFolder(this.#open(), folders);
    if (folder !== undefined) await checkFree(folder, name, overwrite);
  }

  /** Gives the output's id. @throws SharingError `output_exists`, `bad_request`, `storage_full` */
  async openOutput(place: OpfsPlace, overwrite: boolean): Promise<number> {
    const root = this.#open();
    await this.checkOutput(place, overwrite);
    const id = ++this.#lastId;
    // Made anew where a person cleared the site's data.
    const unfinished = await makeFolders(root, UNFINISHED_FOLDERS);
    // A name that no other page's has.
    const partial = await unfinished.getFileHandle(crypto.randomUUID(), { create: true }).catch(refuse);
    const handle = await partial.createSyncAccessHandle().catch(refuse);
    this.#outputs.set(id, { place, overwrite, partial, handle });
    return id;
  }

  /** @throws SharingError `storage_full` */
  async write(id: number, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { handle } = this.#output(id);
    if (handle === undefined) throw ended();
    try {
      const written = handle.write(bytes, { at: offset });
      // A private window of Chromium returns the error's number, -8 as unsigned, where others throw.
      if (written !== bytes.byteLength) throw new SharingError("storage_full", NO_MORE_ROOM);
    } catch (error) {
      throw storageError(error);
    }
  }

  /** Shows the output at its place. @throws SharingError `output_exists`, `storage_full` */
  async commit(id: number, sizeBytes: number): Promise<void> {
    const output = this.#output(id);
    const { place, overwrite, partial, handle } = output;
    try {
      handle?.truncate(sizeBytes);
      handle?.flush();
    } catch (error) {
      throw storageError(error);
    }
    handle?.close();
    output.handle = undefined;
    await this.#commits.run([...place.folders, place.name].join("/"), async () => {
      const folder = await makeFolders(this.#open(), place.folders);
      await checkFree(folder, place.name, overwrite);
      await partial.move(folder, place.name).catch(refuse);
    });
    this.#outputs.delete(id);
  }

  async discard(id: number): Promise<void> {
    const { handle, partial } = this.#output(id);
    handle?.close();
    this.#outputs.delete(id);
    const unfinished = await makeFolders(this.#open(), UNFINISHED_FOLDERS);
    await unfinished.removeEntry(partial.name).catch(leaveGone);
  }

  #open(): FileSystemDirectoryHandle {
    if (this.#root === undefined) throw new SharingError("stopped", "the files are not open");
    return this.#root;
  }

  #output(id: number): Output {
    const output = this.#outputs.get(id);
    if (output === undefined) throw ended();
    return output;
  }
}

/** It was committed or discarded meanwhile, or went with the site's data. */
function leaveGone(error: unknown): void {
  if (!hasName(error, "NotFoundError")) throw error;
}

/** What is locked goes at the next start. */
function leaveLocked(error: unknown): void {
  if (!hasName(error, "NoModificationAllowedError")) leaveGone(error);
}

function ended(): SharingError {
  return new SharingError("stopped", "the output has ended");
}

async function namesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

async function makeFolders(
  root: FileSystemDirectoryHandle,
  names: string[],
): Promise<FileSystemDirectoryHandle> {
  return await folderAt(root, names, { create: true }).catch(refuse);
}

/** Undefined where one is missing. */
async function findFolder(
  root: FileSystemDirectoryHandle,
  names: string[],
): Promise<FileSystemDirectoryHandle | undefined> {
  try {
    return await folderAt(root, names);
  } catch (error) {
    return hasName(error, "NotFoundError") ? undefined : refuse(error);
  }
}

async function checkFree(folder: FileSystemDirectoryHandle, name: string, overwrite: boolean): Promise<void> {
  try {
    await folder.getFileHandle(name);
  } catch (error) {
    if (hasName(error, "NotFoundError")) return;
    if (overwrite || !hasName(error, "TypeMismatchError")) refuse(error);
  }
  if (!overwrite)
    throw new SharingError("output_exists", "a file of that name exists already (overwrite replaces it)");
}

/** Says what the file system's refusal means. */
function refuse(error: unknown): never {
  if (hasName(error, "TypeMismatchError")) {
    throw new SharingError("bad_request", "a file or folder stands in the path's way", { cause: error });
  }
  if (hasName(error, "TypeError")) {
    throw new SharingError("bad_request", "the browser does not allow a name in the path", { cause: error });
  }
  throw storageError(error);
}
