/**
 * What the operating system's file errors mean here. Called by the file-system ports; calls nothing.
 */
import { SharingError } from "../../sharing/errors.ts";

/** True for an error of a system call with one of the codes given. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}

/** Undefined where the system refuses with one of the codes. */
export async function unlessCode<T>(using: Promise<T>, ...codes: string[]): Promise<T | undefined> {
  try {
    return await using;
  } catch (error) {
    if (hasCode(error, ...codes)) return undefined;
    throw error;
  }
}

/** Undefined where the file isn't there. */
export async function unlessGone<T>(using: Promise<T>): Promise<T | undefined> {
  return await unlessCode(using, "ENOENT");
}

/** Undefined where nothing is there, or can be: a file stands for a folder on the way, or a name is too long for the disk. */
export async function unlessAbsent<T>(using: Promise<T>): Promise<T | undefined> {
  return await unlessCode(using, "ENOENT", "ENOTDIR", "ENAMETOOLONG");
}

/** No space (ENOSPC), the user's disk quota (EDQUOT) and the largest file allowed (EFBIG). */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC", "EDQUOT", "EFBIG");
}

/** The same of what LevelDB says, which tells it by the system's message alone. */
export function saysDiskFull(message: string): boolean {
  return /no space left|quota exceeded|file too large/i.test(message);
}

/** A full disk becomes `storage_full`. */
export function diskError(error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new SharingError("storage_full", "the disk is full", { cause: error });
}

/**
 * A folder that this user may not write to, or on a disk that is read-only, becomes `path_forbidden`; all else as
 * `diskError` has it.
 */
export function outputError(error: unknown): unknown {
  if (!hasCode(error, "EACCES", "EPERM", "EROFS")) return diskError(error);
  return new SharingError("path_forbidden", "this node may not write there; see --download-root", {
    cause: error,
  });
}
