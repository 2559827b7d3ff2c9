/**
 * Keeps an index to one opener, whichever tab it is in. Both index storages are opened by it; calls Web Locks, which the
 * browser lifts when the thread that holds one ends.
 */
import { VxError } from "../../vx/errors.ts";
import type { DatedFolder, IndexStorage } from "../../vx/storage/index-storage.ts";
import { HANDOVER_MS } from "../limits.ts";
import { hasName } from "../storage/medium-errors.ts";

/**
 * Opens the storage under its lock, without what was being written when its thread ended. `open` is given what lets go of the
 * lock, for its close. @throws VxError `conflict`, and what `open` throws
 */
export async function openLocked(
  path: string,
  open: (release: () => void) => Promise<IndexStorage & DatedFolder>,
): Promise<IndexStorage> {
  const release = await holdIndexLock(path);
  try {
    const storage = await open(release);
    await storage.removePartials();
    return storage;
  } catch (error) {
    release();
    throw error;
  }
}

/** Gives what lets go of the lock. Waits a little for a thread that is just ending. @throws VxError `conflict` */
function holdIndexLock(path: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const held = () => new Promise<void>((release) => resolve(release));
    const signal = AbortSignal.timeout(HANDOVER_MS);
    navigator.locks.request(`shoal index ${path}`, { signal }, held).catch((error: unknown) => {
      if (!hasName(error, "TimeoutError", "AbortError")) return reject(error);
      reject(
        new VxError("conflict", `The index in ${path} is in use: another tab has it open`, { cause: error }),
      );
    });
  });
}
