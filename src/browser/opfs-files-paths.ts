/**
 * Paths in the origin private file system: `folder/file`, a leading slash makes no difference. Called by opfs-files; calls
 * nothing. The rules are those of the headless build, so that a path means the same file there, or none.
 */
import { SharingError } from "../sharing/errors.ts";
import { MAX_PATH_CHARS } from "./limits.ts";

/** Where this node writes outputs until they are committed; closed to all paths. */
export const UNFINISHED_FOLDER = ".shoal-unfinished";

/** A file's place: folders from the root on, and its name. */
export interface OpfsPlace {
  folders: string[];
  name: string;
}

/** @throws SharingError `bad_request`, `path_forbidden` */
export function parseOpfsPath(path: string, closedFolders: readonly string[]): OpfsPlace {
  if (path === "" || path.length > MAX_PATH_CHARS) {
    throw new SharingError("bad_request", `a path has 1 to ${MAX_PATH_CHARS} characters`);
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\0-\x1f\x7f]/.test(path)) throw new SharingError("bad_request", "the path has control characters");
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (/^[a-z]:/i.test(path) || path.endsWith("/") || parts.some(isForbidden)) throw forbidden();
  const [top] = parts;
  if (top === undefined || [UNFINISHED_FOLDER, ...closedFolders].includes(top)) throw forbidden();
  return { folders: parts.slice(0, -1), name: parts.at(-1) as string };
}

/** Leads out of its folder, or names another file on other systems. */
function isForbidden(part: string): boolean {
  return part === ".." || part.includes("\\") || /[. ]$/.test(part);
}

function forbidden(): SharingError {
  return new SharingError("path_forbidden", "the path is outside the folders allowed");
}
