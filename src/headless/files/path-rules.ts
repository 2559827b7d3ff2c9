/**
 * Which paths a client may name. Called by the sources and outputs of fs-files; calls node:fs to resolve. A path
 * is judged twice: as text here, before the disk is asked, and by its real path, symlinks followed.
 */
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { checkPathChars } from "../../sharing/path-text.ts";
import { MAX_NAME_BYTES } from "../limits.ts";
import { hasCode } from "./disk-errors.ts";

/** A folder, as its real path, beneath which paths are allowed. */
export interface Root {
  path: string;
  /** Whether files and folders beneath it whose name begins with a dot are allowed too. */
  hidden: boolean;
}

/** Views of the kernel and devices: reading there has effects, or tells of other processes. */
export const SYSTEM_FOLDERS = ["/proc", "/sys", "/dev"];

/**
 * Refuses what means different files on different systems: drive letters and network names, names that Windows
 * shortens (a trailing dot or space), control characters.
 * @throws SharingError `bad_request`, `path_forbidden`
 */
export function checkPathText(path: string): void {
  checkPathChars(path);
  const parts = path.split(/[/\\]/);
  const shortened = parts.some((part) => /[. ]$/.test(part) && part !== "." && part !== "..");
  if (/^([a-z]:|\\\\)/i.test(path)) {
    throw new SharingError("path_forbidden", "paths with drive letters or network names are not allowed");
  }
  if (shortened)
    throw new SharingError("path_forbidden", "names that end in a dot or a space are not allowed");
}

export function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Whether a real path is closed to sources and outputs, whatever the roots. */
export function isClosed(realPath: string, closedPaths: readonly string[]): boolean {
  return [...SYSTEM_FOLDERS, ...closedPaths].some((folder) => isInside(folder, realPath));
}

/** Whether a real path lies beneath one of the roots, and is not closed to all, nor within what is. */
export function isAllowed(realPath: string, roots: readonly Root[], closedPaths: readonly string[]): boolean {
  if (isClosed(realPath, closedPaths)) return false;
  return roots.some(({ path, hidden }) => {
    if (!isInside(path, realPath)) return false;
    return (
      hidden ||
      !relative(path, realPath)
        .split(sep)
        .some((part) => part.startsWith("."))
    );
  });
}

/** The real path of what exists of a path, and the names behind it. */
export interface ResolvedPath {
  real: string;
  missing: string[];
}

/**
 * A symlink that leads nowhere is refused, since what is missing may lie outside the roots.
 * @throws SharingError `path_forbidden`, `bad_request`
 */
export async function resolveExisting(path: string): Promise<ResolvedPath> {
  const missing: string[] = [];
  for (let rest = resolve(path); ; rest = dirname(rest)) {
    try {
      return { real: await realpath(rest), missing };
    } catch (error) {
      const isMissing = hasCode(error, "ENOENT", "ENOTDIR") && !(await isDanglingLink(rest));
      if (!isMissing && !hasNameTooLong(error, rest)) throw unresolved(error);
    }
    missing.unshift(basename(rest));
  }
}

/** Of a link that leads nowhere, or what is too long, its own path: whatever needs what it should lead to says so better. */
export async function realPathOf(path: string): Promise<string> {
  try {
    const { real, missing } = await resolveExisting(path);
    return join(real, ...missing);
  } catch (error) {
    if (isSharingError(error, "path_forbidden", "bad_request")) return resolve(path);
    throw error;
  }
}

const OUTSIDE = "the path is outside the folders allowed";

export function forbidden(cause?: unknown): SharingError {
  return new SharingError("path_forbidden", OUTSIDE, { cause });
}

function unresolved(cause: unknown): SharingError {
  if (!hasCode(cause, "ENAMETOOLONG")) return forbidden(cause);
  return new SharingError("bad_request", "the path is too long", { cause });
}

/** What opens a path, with the setting that allows other folders in its refusal. */
export async function allowedBy<T>(setting: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (!isSharingError(error, "path_forbidden") || error.message !== OUTSIDE) throw error;
    throw new SharingError("path_forbidden", `${OUTSIDE}; see ${setting}`, { cause: error });
  }
}

/** Nothing stands there. Not where the path is too long but none of its names is: links may stand in it. */
function hasNameTooLong(error: unknown, path: string): boolean {
  if (!hasCode(error, "ENAMETOOLONG")) return false;
  return path.split(sep).some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
}

/** Called for a path that does not resolve, so a link found there leads nowhere. */
async function isDanglingLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return false;
    throw unresolved(error);
  }
}
