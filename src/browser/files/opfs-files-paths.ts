/**
 * Paths in the origin private file system: `folder/file`, a leading slash makes no difference. Called by opfs-files and its
 * worker. The rules are those of the headless build: what is hidden there is closed here, and so is what names
 * different files on different systems.
 */
import { SharingError } from "../../sharing/errors.ts";
import { checkPathChars } from "../../sharing/path-text.ts";

/** Where outputs are written until they are committed. */
export const UNFINISHED_FOLDERS = [".shoal", "unfinished"];

/** A file's place: folders from the root on, and its name. */
export interface OpfsPlace {
  folders: string[];
  name: string;
}

/** @throws SharingError `bad_request`, `path_forbidden` */
export function parseOpfsPath(path: string): OpfsPlace {
  checkPathChars(path);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (/^[a-z]:/i.test(path) || path.endsWith("/") || parts.some(isForbidden)) throw forbidden();
  const name = parts.pop();
  if (name === undefined) throw forbidden();
  return { folders: parts, name };
}

/** Hidden, as all that the node keeps for itself, or out of its folder, or another file on other systems. */
function isForbidden(part: string): boolean {
  return part.startsWith(".") || part.includes("\\") || /[. ]$/.test(part);
}

function forbidden(): SharingError {
  return new SharingError("path_forbidden", "the path is outside the folders allowed");
}
