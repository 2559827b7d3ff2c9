/**
 * Makes a folder with all that are missing above it, durably: what is made durable in a folder is lost with it. Called
 * by whatever opens a folder, in place of Node.js's recursive mkdir: that one never ends where a folder stands in which
 * none can be made (/proc, a link to a disk that is not mounted), being told in turn that the folder is missing and
 * that the one above exists.
 */
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, unlessCode } from "./disk-errors.ts";
import { syncFolder } from "./durable.ts";

type OnMade = (path: string) => void;

/**
 * Leaves a folder that is there as it is; `onMade` is told of each that was not, the outermost first.
 * @throws the system's error
 */
export async function makeFolders(path: string, mode = 0o777, onMade?: OnMade): Promise<void> {
  // Most are there.
  if (await isFolder(path)) return;
  try {
    await makeFolder(path, mode, onMade);
  } catch (error) {
    const parent = dirname(path);
    if (!hasCode(error, "ENOENT") || parent === path) throw error;
    await makeFolders(parent, mode, onMade);
    await makeFolder(path, mode, onMade);
  }
}

async function makeFolder(path: string, mode: number, onMade: OnMade | undefined): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (error) {
    if (await isFolder(path)) return;
    throw error;
  }
  onMade?.(path);
  await keepName(dirname(path));
}

/** Whoever may write to a folder need not be one who may open it. */
async function keepName(parent: string): Promise<void> {
  await unlessCode(syncFolder(parent), "EACCES");
}

async function isFolder(path: string): Promise<boolean> {
  const found = await unlessCode(stat(path), "ENOENT", "ENOTDIR", "EACCES", "ELOOP", "ENAMETOOLONG");
  return found?.isDirectory() === true;
}
