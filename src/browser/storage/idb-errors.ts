/** What IndexedDB's errors mean here, told by name. Called by the stores in IndexedDB, and by files/. */
import { SharingError } from "../../sharing/errors.ts";
import { hasName, NO_MORE_ROOM } from "./medium-errors.ts";

/**
 * The error to throw for one that came of writing: a quota that is used up is `storage_full`, and so are Blobs for which a
 * full disk has no room, which Chromium calls a DataError ("Failed to write blobs").
 */
export function storageError(error: unknown): unknown {
  if (!hasName(error, "QuotaExceededError", "DataError")) return error;
  return new SharingError("storage_full", NO_MORE_ROOM, { cause: error });
}

/**
 * Settles with a transaction that writes. Its requests fail with it; why, it says itself.
 * @throws SharingError `storage_full`, and what else the browser fails with
 */
export async function written(done: Promise<void>, requests: readonly Promise<unknown>[]): Promise<void> {
  const [outcome] = await Promise.allSettled([done, ...requests]);
  if (outcome.status === "rejected") throw storageError(outcome.reason);
}

/** Is it the error of bytes that the browser no longer has, or has in part? Source: File API, 7.1. */
export function isAbsent(error: unknown): boolean {
  return isUnreadable(error) || hasName(error, "NotFoundError");
}

/** Is it the error of bytes that can't be read now, and may be another time? */
export function isUnreadable(error: unknown): boolean {
  return hasName(error, "NotReadableError");
}
