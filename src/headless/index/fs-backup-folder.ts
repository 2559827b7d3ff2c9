/**
 * The folder of an index's backups, as clients of the API may use it. Opened by open-index; calls path-rules and
 * fs-source. A path is judged by its real path, symlinks followed; names of hidden files are not for clients.
 */
import { randomUUID } from "node:crypto";
import { lstat, readdir, realpath, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { BackupFile, BackupFolder, KeptBackup, ListedBackup } from "../../api/vx/ports.ts";
import { isSharingError } from "../../sharing/errors.ts";
import { VxError } from "../../vx/errors.ts";
import { deleteArchive } from "../../vx/storage/archive-removal.ts";
import { checkArchive } from "../../vx/storage/archives.ts";
import { removeOldMarks } from "../../vx/storage/deletion-marks.ts";
import { listedArchives } from "../../vx/storage/listed-archives.ts";
import { diskError, hasCode, unlessGone } from "../files/disk-errors.ts";
import { syncFolder, writeNewFile } from "../files/durable.ts";
import { openFsSource } from "../files/fs-source.ts";
import { makeFolders } from "../files/make-folders.ts";
import {
  allowedBy,
  checkPathText,
  forbidden,
  isAllowed,
  type Root,
  resolveExisting,
} from "../files/path-rules.ts";
import { renameUnlessTaken } from "../files/rename-unless-taken.ts";
import { fsArchiveFolder, isAbandoned, locateFsArchive } from "./fs-archive-folder.ts";

/** Begins the name of a file that is being uploaded; none of a client's names has a dot there. */
const UPLOAD = ".upload-";

/**
 * Makes the folder where it is missing, and removes what uploads, backups and deletions left that were cut off.
 * `mayLeave`: backups may be made and found outside too, by a client with the rights of this process.
 */
export async function openFsBackupFolder(path: string, mayLeave = false): Promise<BackupFolder> {
  await makeFolders(path, 0o700);
  const folder = await realpath(path);
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if (name.startsWith(UPLOAD) && (await isAbandoned(file))) await rm(file, { force: true });
  }
  const archives = fsArchiveFolder(folder);
  await archives.removePartials();
  await removeOldMarks(archives);
  return new FsBackupFolder(folder, mayLeave);
}

class FsBackupFolder implements BackupFolder {
  readonly #root: Root;
  readonly #mayLeave: boolean;

  constructor(path: string, mayLeave: boolean) {
    this.#root = { path, hidden: false };
    this.#mayLeave = mayLeave;
  }

  async placeFor(path: string): Promise<string> {
    // As the library has it: resolved, a folder to be would be a file of its name.
    if (/[\\/]$/.test(path)) throw new VxError("invalid_request", "The path of a backup must name a file");
    const { real, isThere } = await this.#resolve(path);
    if (real === this.#root.path || (isThere && !(await lstat(real)).isFile())) throw forbidden();
    return real;
  }

  async find(path: string): Promise<string> {
    const { real, isThere } = await this.#resolve(path);
    if (!isThere) throw noBackup();
    if (!(await lstat(real)).isFile()) throw forbidden();
    return real;
  }

  async list(): Promise<ListedBackup[]> {
    const backups: ListedBackup[] = [];
    for (const archive of await listedArchives(fsArchiveFolder(this.#root.path))) {
      const file = await this.#describe(archive.name);
      if (file !== undefined) backups.push({ ...archive, ...file });
    }
    return backups;
  }

  async open(name: string) {
    const path = await this.find(name);
    try {
      const source = await openFsSource(path, { roots: [this.#root], closedPaths: [] });
      const { mtime } = await stat(path);
      return {
        name,
        path,
        sizeBytes: source.sizeBytes,
        writtenAt: mtime,
        async *read(signal: AbortSignal) {
          // The source's buffers go round, and what is sent may wait in the socket.
          for await (const piece of source.stream(signal)) yield piece.slice();
        },
      };
    } catch (error) {
      throw isSharingError(error, "file_missing") || hasCode(error, "ENOENT") ? noBackup(error) : error;
    }
  }

  async store(name: string, bytes: AsyncIterable<Uint8Array>): Promise<KeptBackup> {
    const place = await this.placeFor(name);
    const uploadName = `${UPLOAD}${randomUUID()}`;
    const upload = join(this.#root.path, uploadName);
    let madeAt: Date;
    try {
      await writeNewFile(upload, bytes, { mode: 0o600 });
      madeAt = await checkArchive(fsArchiveFolder(this.#root.path), uploadName, name);
      await renameUnlessTaken(upload, place);
      await syncFolder(this.#root.path);
    } catch (error) {
      await rm(upload, { force: true });
      if (hasCode(error, "EEXIST")) throw new VxError("conflict", `There is a backup ${name} already`);
      throw diskError(error);
    }
    const file = await this.#describe(name);
    if (file === undefined) throw noBackup();
    return { ...file, madeAt };
  }

  async delete(name: string): Promise<void> {
    await deleteArchive(await locateFsArchive(await this.find(name)));
  }

  /** @throws SharingError `path_forbidden`, `bad_request` */
  #resolve(path: string): Promise<{ real: string; isThere: boolean }> {
    return allowedBy("--vx-backup-path", this.#resolveInside(path));
  }

  async #resolveInside(path: string): Promise<{ real: string; isThere: boolean }> {
    checkPathText(path);
    const { real, missing } = await resolveExisting(resolve(this.#root.path, path));
    const whole = join(real, ...missing);
    if (!this.#mayLeave && !isAllowed(whole, [this.#root], [])) throw forbidden();
    return { real: whole, isThere: missing.length === 0 };
  }

  /**
   * Undefined where it was removed meanwhile, and for links: what they lead to is found by its own name, where clients
   * may have it.
   */
  async #describe(name: string): Promise<BackupFile | undefined> {
    const path = join(this.#root.path, name);
    const found = await unlessGone(lstat(path));
    return found?.isFile() ? { name, path, sizeBytes: found.size, writtenAt: found.mtime } : undefined;
  }
}

function noBackup(cause?: unknown): VxError {
  return new VxError("backup_not_found", "There is no such backup", { cause });
}
