/**
 * Where a folder that files are shared from really stands. Called by fs-files, and by the start command before all else
 * is loaded.
 */
import { realpath, stat } from "node:fs/promises";
import { SharingError } from "../../sharing/errors.ts";
import { hasCode } from "./disk-errors.ts";

/** @throws SharingError `bad_request` where there is no such folder */
export async function realShareRoot(path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return real;
  } catch (error) {
    if (!hasCode(error, "ENOENT", "ENOTDIR", "EACCES")) throw error;
  }
  throw new SharingError("bad_request", `the share root ${path} is no folder that this node may read`);
}
