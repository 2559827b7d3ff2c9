/**
 * Folders of an index's backups on the file system, and the places of these. Called by fs-backup-folder and the index's worker;
 * calls fs-flat-folder. An archive that is not whole yet is `.backup-UUID.partial`.
 */
import { randomUUID } from "node:crypto";
import { lstat, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { VxError } from "../../vx/errors.ts";
import { isUnnamed } from "../../vx/storage/backup-name.ts";
import type { ArchivePlace, DatedFolder, FileFacts, NewFile } from "../../vx/storage/index-storage.ts";
import { hasCode, unlessCode, unlessGone } from "../files/disk-errors.ts";
import { makeFolders } from "../files/make-folders.ts";
import { ABANDONED_BACKUP_MS } from "../limits.ts";
import { FsFlatFolder, onDisk, PARTIAL } from "./fs-flat-folder.ts";

/**
 * Begins the name of an archive that is not whole yet: each has one of its own, for another process may be making one
 * of the same name.
 */
const ARCHIVE_PART = ".backup-";

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
  const found = await unlessCode(stat(path), "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG");
  return found?.isFile() === false;
}

/** Whether it is the name of an archive that is not whole yet; earlier versions called it as the archive. */
function isArchivePart(name: string): boolean {
  if (!name.endsWith(PARTIAL)) return false;
  return name.startsWith(ARCHIVE_PART) || isUnnamed(name.slice(0, -PARTIAL.length));
}

/** Whether nobody has written the file for long, which is not whole: another process may be making its own there. */
export async function isAbandoned(path: string): Promise<boolean> {
  const found = await unlessGone(stat(path));
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_BACKUP_MS;
}

/** Also where its disk does not say. */
async function leadsToFile(link: string): Promise<boolean> {
  try {
    return (await stat(link)).isFile();
  } catch (error) {
    return !hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ENAMETOOLONG", "ELOOP");
  }
}

class FsArchiveFolder extends FsFlatFolder implements DatedFolder {
  /** Links to files too: an archive may have been moved to another disk. */
  override async list(): Promise<string[]> {
    const names: string[] = [];
    for (const entry of await this.entries()) {
      if (entry.name.endsWith(PARTIAL)) continue;
      const isLink = entry.isSymbolicLink();
      if (isLink ? await leadsToFile(join(this.folder, entry.name)) : entry.isFile()) names.push(entry.name);
    }
    return names;
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    const found = await unlessCode(stat(join(this.folder, name)), "ENOENT", "ENOTDIR");
    return found && { sizeBytes: found.size, writtenAt: found.mtime };
  }

  async removePartials(): Promise<void> {
    for (const { name } of await this.entries()) {
      const path = join(this.folder, name);
      if (isArchivePart(name) && (await isAbandoned(path))) await rm(path, { force: true });
    }
  }

  override async create(name: string): Promise<NewFile> {
    try {
      await onDisk(() => makeFolders(this.folder, 0o700));
      // The archive gets its name when all of it is written: whether the disk has such names is asked before.
      await unlessGone(lstat(join(this.folder, name)));
      return await this.begin(name, `${ARCHIVE_PART}${randomUUID()}${PARTIAL}`);
    } catch (cause) {
      if (hasCode(cause, "ENAMETOOLONG")) {
        const what = "The path of the backup, or a name in it, is too long for the disk";
        throw new VxError("invalid_request", what, { cause });
      }
      if (!hasCode(cause, "ENOENT", "ENOTDIR", "EEXIST", "EACCES", "EROFS")) throw cause;
      const what = `The folder of the backup ${name} cannot be made or written to`;
      throw new VxError("invalid_request", what, { cause });
    }
  }
}
