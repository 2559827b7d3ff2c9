/** Errors of the browser's media, told by name. Used by the storages of indexes, files and records. */
import { VxError } from "../../vx/errors.ts";

/** What a person can do about a full medium stands in it, since it is shown as it is. */
export const NO_MORE_ROOM =
  "The browser gives this site no more room. Delete files here, or free some room on this device.";

export function hasName(error: unknown, ...names: string[]): boolean {
  return error instanceof Error && names.includes(error.name);
}

/** Does work that writes; a quota that is used up becomes VxError `storage_full`. */
export async function writing<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!hasName(error, "QuotaExceededError")) throw error;
    throw storageFull(error);
  }
}

export function storageFull(cause?: unknown): VxError {
  return new VxError("storage_full", NO_MORE_ROOM, { cause });
}
