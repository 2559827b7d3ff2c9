/**
 * Gives a whole file its name without ever replacing another. Called by fs-output, fs-backup-folder and the command `save`;
 * calls node:fs.
 */
import { link, open, rename, rm, unlink } from "node:fs/promises";
import { hasCode } from "./disk-errors.ts";

/** Another file system, or one without links, or a file with all the links it can have. */
export const CANT_LINK = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** @throws EEXIST, and other errors of node:fs */
export async function renameUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await unlink(from);
  } catch (error) {
    if (!hasCode(error, ...CANT_LINK)) throw error;
    // Without hard links (FAT) an empty file holds the place against others until the rename.
    await (await open(to, "wx")).close();
    try {
      await rename(from, to);
    } catch (failure) {
      await rm(to, { force: true });
      throw failure;
    }
  }
}
