/** A medium of an index that has no room left. Called by both index storages. */
import { VxError } from "../../vx/errors.ts";
import { hasName, NO_MORE_ROOM } from "../storage/medium-errors.ts";

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
