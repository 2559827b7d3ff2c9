/**
 * Makes a folder with all that are missing above it. Called by whatever opens a folder that a person may name, in place of
 * Node.js's recursive mkdir: that one never ends where a folder stands in which none can be made (/proc, a link to
 * a disk that is not mounted), being told in turn that the folder is missing and that the one above exists.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "./disk-errors.ts";

/** Leaves a folder that is there as it is. @throws the system's error */
export async function makeFolders(path: string, mode = 0o777): Promise<void> {
  try {
    await makeFolder(path, mode);
  } catch (error) {
    const parent = dirname(path);
    if (!hasCode(error, "ENOENT") || parent === path) throw error;
    await makeFolders(parent, mode);
    await makeFolder(path, mode);
  }
}

async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (!(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG")) return false;
    throw error;
  }
}
