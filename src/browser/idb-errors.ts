/** What IndexedDB's errors mean here, told by name. Called by the stores in IndexedDB and by the OPFS outputs. */
import { SharingError } from "../sharing/errors.ts";
import { hasName } from "./medium-errors.ts";

/** The error to throw for one that came of writing: a quota that is used up is `storage_full`. */
export function storageError(error: unknown): unknown {
  if (!hasName(error, "QuotaExceededError")) return error;
  return new SharingError("storage_full", "the browser gives this site no more room", { cause: error });
}

/** Is it the error of bytes that the browser no longer has, or has in part? Source: File API, 7.1. */
export function isAbsent(error: unknown): boolean {
  return hasName(error, "NotFoundError", "NotReadableError");
}
