/** Errors of the browser's media, told by name. Used by the storages of the index here. */
import { VxError } from "../vx/errors.ts";

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
  return new VxError("storage_full", "The browser gives this site no more room", { cause });
}
