/**
 * Files of one folder on the file system, each whole or not to be seen. Used by fs-index-storage and fs-archive-folder; calls
 * durable.
 */
import { type Dirent, fstatSync } from "node:fs";
import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { VxError } from "../../vx/errors.ts";
import type { Folder, NewFile, StoredFile } from "../../vx/storage/index-storage.ts";
import { isDiskFull, unlessAbsent } from "../files/disk-errors.ts";
import { readFully, syncFolder, writeFully } from "../files/durable.ts";

/** Ends the name of a file that is not whole yet. */
export const PARTIAL = ".partial";

export class FsFlatFolder implements Folder {
  protected readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async list(): Promise<string[]> {
    const entries = await this.entries();
    return entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith(PARTIAL))
      .map((entry) => entry.name);
  }

  /** All that stands there; nothing where there is no such folder. */
  protected async entries(): Promise<Dirent[]> {
    return (await unlessAbsent(readdir(this.folder, { withFileTypes: true }))) ?? [];
  }

  async open(name: string): Promise<StoredFile | undefined> {
    const handle = await unlessAbsent(open(join(this.folder, name), "r"));
    if (handle === undefined) return undefined;
    // What an open file is, the system knows without its disk.
    const stats = fstatSync(handle.fd);
    if (stats.isFile()) return new FsStoredFile(name, handle, stats.size);
    await handle.close();
    return undefined;
  }

  async create(name: string): Promise<NewFile> {
    return this.begin(name, name + PARTIAL);
  }

  protected async begin(name: string, part: string): Promise<NewFile> {
    const partPath = join(this.folder, part);
    const handle = await onDisk(() => open(partPath, "w", 0o600));
    return new FsNewFile(join(this.folder, name), partPath, handle);
  }

  async delete(...names: string[]): Promise<void> {
    for (const name of names) await rm(join(this.folder, name), { force: true });
  }
}

class FsStoredFile implements StoredFile {
  readonly sizeBytes: number;
  readonly #name: string;
  readonly #handle: FileHandle;

  constructor(name: string, handle: FileHandle, sizeBytes: number) {
    this.#name = name;
    this.#handle = handle;
    this.sizeBytes = sizeBytes;
  }

  async read(offset: number, into: Uint8Array): Promise<void> {
    const bytes = await readFully(this.#handle, into, offset);
    if (bytes === into.byteLength) return;
    throw new VxError("internal", `${this.#name} ends at byte ${offset + bytes}, before it was expected to`);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

class FsNewFile implements NewFile {
  readonly #path: string;
  readonly #partPath: string;
  readonly #handle: FileHandle;
  #sizeBytes = 0;

  constructor(path: string, partPath: string, handle: FileHandle) {
    this.#path = path;
    this.#partPath = partPath;
    this.#handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    await onDisk(() => writeFully(this.#handle, bytes, this.#sizeBytes));
    this.#sizeBytes += bytes.byteLength;
  }

  async commit(): Promise<void> {
    await onDisk(async () => {
      await this.#handle.datasync();
      await this.#handle.close();
      await rename(this.#partPath, this.#path);
      await syncFolder(dirname(this.#path));
    });
  }

  async discard(): Promise<void> {
    await this.#handle.close();
    await rm(this.#partPath, { force: true });
  }
}

/** Runs system calls that write; a full disk becomes VxError `storage_full`. */
export async function onDisk<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

export function diskFull(cause: unknown): VxError {
  return new VxError("storage_full", "The disk is full", { cause });
}
