/**
 * An index's folder in the origin private file system, and the folders of its archives. Opened by the index's disk in a
 * worker, for workers alone have the sync handles that all reading and writing goes through. In a folder:
 *
 *   NAME           a complete file, or one that grows
 *   NAME.partial   a file not yet committed; removed at the next opening
 *
 * A file is committed by a move, which takes the place of another file at once.
 */
import { VxError } from "../../vx/errors.ts";
import type {
  AppendFile,
  DatedFolder,
  FileFacts,
  IndexStorage,
  NewFile,
  StoredFile,
} from "../../vx/storage/index-storage.ts";
import { hasName } from "../storage/medium-errors.ts";
import { folderAt } from "../storage/opfs-folders.ts";
import { whenFree } from "../storage/when-free.ts";
import { storageFull, writing } from "./full-medium.ts";
import { openLocked } from "./index-lock.ts";
import { type SyncFile, SyncHandles } from "./opfs-sync-handles.ts";

const PARTIAL = ".partial";

/** Handles are shared by all who open a file of this origin in this thread. */
const handles = new SyncHandles();

/** Makes the folder where it is missing. @throws VxError `conflict`, `storage_full` */
export function openOpfsIndexStorage(path: string): Promise<IndexStorage> {
  return openLocked(path, async (release) => new OpfsFolder(path, await makeDirectory(path), release));
}

/** A folder without a lock, made where it is missing. */
export async function openOpfsArchiveFolder(path: string): Promise<DatedFolder> {
  return new OpfsFolder(path, await makeDirectory(path));
}

async function makeDirectory(path: string): Promise<FileSystemDirectoryHandle> {
  return writing(async () =>
    folderAt(await navigator.storage.getDirectory(), path.split("/"), { create: true }),
  );
}

/** `release` gives the lock of an index back; a folder of archives has none. */
class OpfsFolder implements IndexStorage, DatedFolder {
  readonly #path: string;
  readonly #directory: FileSystemDirectoryHandle;
  readonly #release: () => void;

  constructor(path: string, directory: FileSystemDirectoryHandle, release: () => void = () => undefined) {
    this.#path = path;
    this.#directory = directory;
    this.#release = release;
  }

  async list(): Promise<string[]> {
    const names: string[] = [];
    for await (const [name, { kind }] of this.#directory.entries()) {
      const isHidden = name.endsWith(PARTIAL) || handles.isRemoved(this.#pathOf(name));
      if (kind === "file" && !isHidden) names.push(name);
    }
    return names;
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    if (handles.isRemoved(this.#pathOf(name))) return undefined;
    return ifThere(async () => {
      const { size, lastModified } = await (await this.#directory.getFileHandle(name)).getFile();
      return { sizeBytes: size, writtenAt: new Date(lastModified) };
    });
  }

  async open(name: string): Promise<StoredFile | undefined> {
    if (handles.isRemoved(this.#pathOf(name))) return undefined;
    const file = await ifThere(() => this.#access(name, false));
    return file && new OpfsStoredFile(name, file);
  }

  async create(name: string): Promise<NewFile> {
    if (handles.isOpen(this.#pathOf(name + PARTIAL))) {
      throw new VxError("conflict", `${name} is being written already`);
    }
    if (handles.isRemoved(this.#pathOf(name))) throw beingRead(name);
    const file = await writing(() => this.#access(name + PARTIAL, true));
    file.handle.truncate(0);
    return {
      write: (bytes) => append(file.handle, bytes),
      commit: () => this.#commit(name, file),
      discard: async () => {
        await file.close();
        await this.#remove(name + PARTIAL);
      },
    };
  }

  async delete(...names: string[]): Promise<void> {
    for (const name of names) await handles.remove(this.#pathOf(name), () => this.#remove(name));
  }

  /** Removes what was being written when its thread ended. */
  async removePartials(): Promise<void> {
    const names: string[] = [];
    for await (const name of this.#directory.keys()) if (name.endsWith(PARTIAL)) names.push(name);
    for (const name of names) {
      if (!handles.isOpen(this.#pathOf(name))) await whenFree(() => this.#remove(name));
    }
  }

  async startAppending(name: string): Promise<AppendFile> {
    const there = await ifThere(() => this.#directory.getFileHandle(name));
    if (there !== undefined) throw new VxError("conflict", `${name} exists already`);
    const file = await writing(() => this.#access(name, true));
    const { handle } = file;
    return {
      append: (bytes) => append(handle, bytes),
      sync: () => writing(async () => handle.flush()),
      truncate: async (sizeBytes) => {
        handle.truncate(sizeBytes);
        handle.flush();
      },
      close: () => file.close(),
    };
  }

  async sync(name: string): Promise<void> {
    const file = await ifThere(() => this.#access(name, false));
    if (file === undefined) return;
    await writing(async () => file.handle.flush()).finally(() => file.close());
  }

  async close(): Promise<void> {
    this.#release();
  }

  #pathOf(name: string): string {
    return `${this.#path}/${name}`;
  }

  async #access(name: string, create: boolean): Promise<SyncFile> {
    try {
      return await handles.open(this.#pathOf(name), () => this.#directory.getFileHandle(name, { create }));
    } catch (error) {
      if (create && hasName(error, "NotFoundError")) throw gone(error);
      throw error;
    }
  }

  async #commit(name: string, file: SyncFile): Promise<void> {
    await writing(async () => file.handle.flush());
    await file.close();
    if (handles.isOpen(this.#pathOf(name))) throw beingRead(name);
    const partial = await this.#directory.getFileHandle(name + PARTIAL);
    await writing(() => whenFree(() => partial.move(name)));
  }

  async #remove(name: string): Promise<void> {
    await ifThere(() => this.#directory.removeEntry(name));
  }
}

class OpfsStoredFile implements StoredFile {
  readonly sizeBytes: number;
  readonly #name: string;
  readonly #file: SyncFile;

  constructor(name: string, file: SyncFile) {
    this.#name = name;
    this.#file = file;
    this.sizeBytes = file.handle.getSize();
  }

  async read(offset: number, into: Uint8Array): Promise<void> {
    const bytes = this.#file.handle.read(into, { at: offset });
    if (bytes === into.byteLength) return;
    throw new VxError("internal", `${this.#name} ends at byte ${offset + bytes}, before it was expected to`);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function beingRead(name: string): VxError {
  return new VxError("conflict", `${name} is being read`);
}

/**
 * The browser has removed the folder, as it does where the site's data is cleared, and what the engine holds is stored
 * no more: the thread is lost with it, and whoever started it opens the index anew. Gives the error to throw.
 */
function gone(cause?: unknown): VxError {
  reportError(new Error("The browser has removed the index's folder"));
  return new VxError("unavailable", "The index is no longer stored", { cause });
}

/** @throws VxError `storage_full`; a part may have been written */
async function append(handle: FileSystemSyncAccessHandle, bytes: Uint8Array): Promise<void> {
  const offset = handle.getSize();
  // Of a file that it has removed Chromium gives an error's number.
  if (offset < 0) throw gone();
  const written = await writing(async () => handle.write(bytes, { at: offset }));
  // A private window of Chromium returns the error's number, -8 as unsigned, where others throw.
  if (written !== bytes.byteLength) throw storageFull();
}

/** Undefined where there is no such file, or can be none of that name. */
async function ifThere<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find();
  } catch (error) {
    if (hasName(error, "NotFoundError", "TypeMismatchError", "TypeError")) return undefined;
    throw error;
  }
}
