/** Files of the origin private file system that another thread has locked. Called by all that opens, moves or removes some there. */
import { HANDOVER_MS, LOCK_RETRY_MS } from "../limits.ts";
import { hasName } from "./medium-errors.ts";

/** Tries again for a while where the file is locked: the handles of a worker that was ended stay for some moments. */
export async function whenFree<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + HANDOVER_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!hasName(error, "NoModificationAllowedError") || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
    }
  }
}
