/**
 * An index's folder on the file system, and the places of its archives. Opened by main and the index's worker;
 * calls durable and classic-level. Beneath the folder:
 *
 *   lock/          an empty LevelDB: its lock, which the system lifts when the process dies, keeps others out
 *                  (Node.js itself has none)
 *   NAME           a complete file, or one that grows
 *   NAME.partial   a file not yet committed; removed at the next opening. Of an archive: .backup-UUID.partial
 */
import { randomUUID } from "node:crypto";
import { type Dirent, fstatSync } from "node:fs";
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ClassicLevel } from "classic-level";
import { VxError } from "../vx/errors.ts";
import { isUnnamed } from "../vx/storage/backup-name.ts";
import type {
  AppendFile,
  ArchivePlace,
  DatedFolder,
  FileFacts,
  Folder,
  IndexStorage,
  NewFile,
  StoredFile,
} from "../vx/storage/index-storage.ts";
import { hasCode } from "./disk-errors.ts";
import { readFully, syncFolder, writeFully } from "./durable.ts";
import { makeFolders } from "./make-folders.ts";

/** Ends the name of a file that is not whole yet. */
const PARTIAL = ".partial";
/** Begins that of an archive: each has one of its own, for another process may be making one of the same name. */
const ARCHIVE_PART = ".backup-";
const LOCK = "lock";

/**
 * Makes the folder where it is missing, unless told not to. @throws VxError `conflict`, `storage_full`, with `create: false`
 * `not_found`
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
    await makeFolders(path, 0o700);
    return realpath(path);
  });
}

/** Who only looks for an index leaves no folder behind. */
async function existingFolder(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    throw new VxError("not_found", `There is no index in ${path}`, { cause: error });
  }
}

/** The place of an archive; relative paths start at the working directory. @throws VxError `invalid_request` */
export async function locateFsArchive(path: string): Promise<ArchivePlace> {
  if (path === "" || path.includes("\0") || /[\\/]$/.test(path)) {
    throw new VxError("invalid_request", "The path of a backup must name a file");
  }
  const whole = resolve(path);
  if (await isNoFile(whole)) {
    throw new VxError("invalid_request", `A backup is a file; ${basename(whole)} is a folder or a device`);
  }
  return { folder: fsArchiveFolder(dirname(whole)), name: basename(whole), path: whole };
}

/** The folder that archives stand in. It is made for the first of them: who only looks for one leaves none behind. */
export function fsArchiveFolder(path: string): DatedFolder {
  return new FsArchiveFolder(path);
}

/** Whether something else stands there. */
async function isNoFile(path: string): Promise<boolean> {
  try {
    return !(await stat(path)).isFile();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG")) return false;
    throw error;
  }
}

/** Whether it is the name of an archive that is not whole yet; earlier versions called it as the archive. */
export function isArchivePart(name: string): boolean {
  if (!name.endsWith(PARTIAL)) return false;
  return name.startsWith(ARCHIVE_PART) || isUnnamed(name.slice(0, -PARTIAL.length));
}

/** Also where its disk does not say. */
async function leadsToFile(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isFile();
  } catch (error) {
    return !hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP");
  }
}

class FsFolder implements Folder {
  protected readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async list(): Promise<string[]> {
    return (await this.entries()).filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** All but files that are not committed. */
  protected async entries(): Promise<Dirent[]> {
    try {
      const entries = await readdir(this.folder, { withFileTypes: true });
      return entries.filter(({ name }) => !name.endsWith(PARTIAL));
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
      throw error;
    }
  }

  async open(name: string): Promise<StoredFile | undefined> {
    try {
      const handle = await open(join(this.folder, name), "r");
      // What an open file is, the system knows without its disk.
      const stats = fstatSync(handle.fd);
      if (stats.isFile()) return new FsStoredFile(name, handle, stats.size);
      await handle.close();
      return undefined;
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR", "ENAMETOOLONG")) return undefined;
      throw error;
    }
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

class FsArchiveFolder extends FsFolder implements DatedFolder {
  /** Links to files too: an archive may have been moved to another disk. */
  override async list(): Promise<string[]> {
    const names: string[] = [];
    for (const entry of await this.entries()) {
      const isLink = entry.isSymbolicLink();
      if (isLink ? await leadsToFile(join(this.folder, entry.name)) : entry.isFile()) names.push(entry.name);
    }
    return names;
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    try {
      const { size, mtime } = await stat(join(this.folder, name));
      return { sizeBytes: size, writtenAt: mtime };
    } catch (error) {
      if (hasCode(error, "ENOENT", "ENOTDIR")) return undefined;
      throw error;
    }
  }

  override async create(name: string): Promise<NewFile> {
    try {
      await onDisk(() => makeFolders(this.folder, 0o700));
    } catch (error) {
      if (!hasCode(error, "ENOENT", "ENOTDIR", "EEXIST", "EACCES", "EROFS", "ENAMETOOLONG")) throw error;
      throw new VxError("invalid_request", `The folder of the backup ${name} cannot be made`, {
        cause: error,
      });
    }
    return this.begin(name, `${ARCHIVE_PART}${randomUUID()}${PARTIAL}`);
  }
}

class FsIndexStorage extends FsFolder implements IndexStorage {
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

  async close(): Promise<void> {
    await this.#lock.close();
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
  #open = true;

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
      await this.#close();
      await rename(this.#partPath, this.#path);
      await syncFolder(dirname(this.#path));
    });
  }

  async discard(): Promise<void> {
    await this.#close();
    await rm(this.#partPath, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    await this.#handle.close();
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
    if (/no space left|quota exceeded|file too large/i.test(reason)) throw diskFull(error);
    throw new VxError("internal", `Cannot lock ${folder}: ${reason}`, { cause: error });
  }
}

/** Runs system calls that write; a full disk becomes VxError `storage_full`. */
async function onDisk<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw hasCode(error, "ENOSPC", "EDQUOT", "EFBIG") ? diskFull(error) : error;
  }
}

function diskFull(cause: unknown): VxError {
  return new VxError("storage_full", "The disk is full", { cause });
}
