/**
 * The bytes of a Blob that is stored. Called by idb-blocks. One that can't be read is tried again, and once more in a
 * moment, each time as the database gives it anew: a browser short of memory, or a disk, may come to itself.
 */
import type { Loss } from "../../sharing/catalog/loss-log.ts";
import type { Clock } from "../../sharing/ports.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import { UNREADABLE_PAUSE_MS } from "../limits.ts";
import { isAbsent, isUnreadable } from "../storage/idb-errors.ts";

/** Where the browser has lost them, gives why. */
export async function storedBytes(
  find: () => Promise<Blob | undefined>,
  clock: Pick<Clock, "sleep"> = systemClock,
): Promise<Uint8Array<ArrayBuffer> | Loss["why"]> {
  for (const pauseMs of [0, UNREADABLE_PAUSE_MS, undefined]) {
    try {
      const blob = await find();
      return blob === undefined ? "gone" : new Uint8Array(await blob.arrayBuffer());
    } catch (error) {
      if (!isAbsent(error)) throw error;
      if (!isUnreadable(error)) return "gone";
    }
    if (pauseMs !== undefined) await clock.sleep(pauseMs);
  }
  return "unreadable";
}
