/**
 * An index's folder on the file system. Opened by the index's worker, held by open-index until there is one; calls
 * fs-flat-folder and classic-level. Beneath the folder:
 *
 *   lock/          an empty LevelDB: its lock, which the system lifts when the process dies, keeps others out
 *                  (Node.js itself has none)
 *   NAME           a complete file, or one that grows
 *   NAME.partial   a file not yet committed; removed at the next opening
 */
import { type FileHandle, open, readdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { ClassicLevel } from "classic-level";
import { VxError } from "../../vx/errors.ts";
import type { AppendFile, IndexStorage } from "../../vx/storage/index-storage.ts";
import { segmentGeneration } from "../../vx/storage/segments.ts";
import { SNAPSHOT } from "../../vx/storage/snapshot-writer.ts";
import { hasCode, saysDiskFull, unlessGone } from "../files/disk-errors.ts";
import { syncFolder, writeFully } from "../files/durable.ts";
import { makeFolders } from "../files/make-folders.ts";
import { diskFull, FsFlatFolder, onDisk, PARTIAL } from "./fs-flat-folder.ts";

const LOCK = "lock";

/**
 * Makes the folder where it is missing, unless told not to. @throws VxError `conflict`, `storage_full`, `invalid_request` (a file
 * stands there), with `create: false` `not_found`
 */
export async function openFsIndexStorage(path: string, { create } = { create: true }): Promise<IndexStorage> {
  const folder = create ? await madeFolder(path) : await existingFolder(path);
  const lock = await takeLock(folder);
  try {
    for (const name of await readdir(folder)) {
      if (name.endsWith(PARTIAL)) await rm(join(folder, name), { force: true });
    }
    return new FsIndexStorage(folder, lock);
  } catch (error) {
    await lock.close();
    throw error;
  }
}

/** Keeps others out of an index that is not opened yet, until the lock is closed. @throws as openFsIndexStorage */
export async function holdFsIndex(path: string): Promise<{ close(): Promise<void> }> {
  return takeLock(await madeFolder(path));
}

async function madeFolder(path: string): Promise<string> {
  return onDisk(async () => {
    try {
      await makeFolders(path, 0o700);
    } catch (error) {
      if (!hasCode(error, "EEXIST", "ENOTDIR")) throw error;
      const what = "A file stands where the folder of the index is to be, or one above it";
      throw new VxError("invalid_request", what, { cause: error });
    }
    return realpath(path);
  });
}

/** Who only looks for an index leaves nothing behind, and deletes nothing in a folder that is another's. */
async function existingFolder(path: string): Promise<string> {
  try {
    const names = await readdir(path);
    if (names.some((name) => name === SNAPSHOT || segmentGeneration(name) !== undefined))
      return await realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
  }
  throw new VxError("not_found", `There is no index in ${path}`);
}

class FsIndexStorage extends FsFlatFolder implements IndexStorage {
  readonly #lock: ClassicLevel;

  constructor(folder: string, lock: ClassicLevel) {
    super(folder);
    this.#lock = lock;
  }

  async startAppending(name: string): Promise<AppendFile> {
    const path = join(this.folder, name);
    try {
      return new FsAppendFile(this.folder, await onDisk(() => open(path, "wx", 0o600)));
    } catch (error) {
      if (hasCode(error, "EEXIST")) throw new VxError("conflict", `${name} exists already`, { cause: error });
      throw error;
    }
  }

  async sync(name: string): Promise<void> {
    const handle = await unlessGone(onDisk(() => open(join(this.folder, name), "r+")));
    if (handle === undefined) return;
    await onDisk(() => handle.datasync()).finally(() => handle.close());
    await onDisk(() => syncFolder(this.folder));
  }

  async close(): Promise<void> {
    await this.#lock.close();
  }
}

class FsAppendFile implements AppendFile {
  readonly #folder: string;
  readonly #handle: FileHandle;
  #sizeBytes = 0;
  #named = false;

  constructor(folder: string, handle: FileHandle) {
    this.#folder = folder;
    this.#handle = handle;
  }

  async append(bytes: Uint8Array): Promise<void> {
    await onDisk(() => writeFully(this.#handle, bytes, this.#sizeBytes));
    this.#sizeBytes += bytes.byteLength;
  }

  async sync(): Promise<void> {
    await onDisk(async () => {
      await this.#handle.datasync();
      if (!this.#named) await syncFolder(this.#folder);
      this.#named = true;
    });
  }

  async truncate(sizeBytes: number): Promise<void> {
    await onDisk(async () => {
      await this.#handle.truncate(sizeBytes);
      await this.#handle.sync();
    });
    this.#sizeBytes = sizeBytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** An index is opened by requests, too, whose senders are not told where it stands: what is foreseen names no folder. */
async function takeLock(folder: string): Promise<ClassicLevel> {
  const lock = new ClassicLevel(join(folder, LOCK));
  try {
    await lock.open();
    return lock;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    if (hasCode(cause, "LEVEL_LOCKED")) {
      throw new VxError("conflict", "The index is in use: another has it open", { cause: error });
    }
    const reason = cause instanceof Error ? cause.message : String(error);
    if (saysDiskFull(reason)) throw diskFull(error);
    throw new VxError("internal", `Cannot lock ${folder}: ${reason}`, { cause: error });
  }
}
