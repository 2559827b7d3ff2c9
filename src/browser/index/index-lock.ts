/**
 * Keeps an index to one opener, whichever tab it is in. Called by both index storages; calls Web Locks, which the browser
 * lifts when the thread that holds one ends.
 */
import { VxError } from "../../vx/errors.ts";
import { HANDOVER_MS } from "../limits.ts";
import { hasName } from "../storage/medium-errors.ts";

/** Gives what lets go of the lock. Waits a little for a thread that is just ending. @throws VxError `conflict` */
export function holdIndexLock(path: string): Promise<() => void> {
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
