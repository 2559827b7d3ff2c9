/**
 * The files of a folder on this machine that is shared as a whole. Made by fs-files; calls path-rules. Links are left
 * out, as they may lead anywhere or in circles, and so is what is hidden or closed to all. Each file is judged by its
 * path here, and by all rules when it is opened.
 */
import { opendir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { SharingError } from "../../sharing/errors.ts";
import { safeFileName } from "../../sharing/file-name.ts";
import { checkFolderCount, ofFile } from "../../sharing/folders/folder.ts";
import type { FolderListing } from "../../sharing/ports.ts";
import { hasCode } from "./disk-errors.ts";
import type { SourceRules } from "./fs-source.ts";
import { checkPathText, forbidden, isAllowed, resolveExisting } from "./path-rules.ts";
import { refuseUndecodable } from "./undecodable-name.ts";

/** @throws SharingError `path_forbidden`, `file_missing`, `bad_request` */
export async function listFsFolder(
  path: string,
  { roots, closedPaths }: SourceRules,
): Promise<FolderListing> {
  const { real, missing } = await resolveExisting(path);
  if (!isAllowed([real, ...missing].join("/"), roots, closedPaths)) throw forbidden();
  if (missing.length > 0) throw new SharingError("file_missing", "there is no such folder");
  const files: FolderListing["files"] = [];
  for await (const parts of filesIn(real, [], closedPaths)) {
    checkFolderCount(files.length + 1);
    const source = join(real, ...parts);
    // Refused when its turn comes, it would leave those before it shared.
    await ofFile(parts.join("/"), () => checkPathText(source));
    files.push({ path: parts.map(safeFileName).join("/"), source });
  }
  // A link to a folder is shared as the link is called.
  return { name: basename(resolve(path)), files };
}

/** The names on the way to each file. */
async function* filesIn(
  root: string,
  parts: readonly string[],
  closedPaths: readonly string[],
): AsyncGenerator<string[]> {
  for await (const entry of await openFolder(join(root, ...parts))) {
    if (entry.name.startsWith(".")) continue;
    const inside = [...parts, entry.name];
    if (closedPaths.includes(join(root, ...inside))) continue;
    if (!entry.isDirectory() && !entry.isFile()) continue;
    await ofFile(inside.join("/"), () => refuseUndecodable(join(root, ...parts), entry.name));
    if (entry.isDirectory()) yield* filesIn(root, inside, closedPaths);
    else yield inside;
  }
}

async function openFolder(path: string) {
  try {
    return await opendir(path);
  } catch (error) {
    if (hasCode(error, "ENOENT"))
      throw new SharingError("file_missing", "the folder changed while it was read");
    if (hasCode(error, "ENOTDIR")) throw new SharingError("bad_request", "the path is a file, not a folder");
    if (hasCode(error, "EACCES", "EPERM")) {
      throw new SharingError("path_forbidden", "the node may not read this folder", { cause: error });
    }
    throw error;
  }
}
