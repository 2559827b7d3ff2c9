/**
 * The room that the browser gives this site, and asking it to take none of that back. Called by the block store and the
 * outputs, by main for the screens, by system-meter, and by page-app for the API; calls the StorageManager. Source: WHATWG Storage Standard.
 */
import { hasName } from "./medium-errors.ts";

/** Asks the browser to keep what is stored; some ask the person. Gives whether it will. */
export async function askForPersistence(): Promise<boolean> {
  return await navigator.storage.persist();
}

/**
 * Bytes that the browser still allows this site; without end where it can't tell: what finds no room is refused when it
 * is written.
 */
export async function storageFreeBytes(): Promise<number> {
  const { usage = 0, quota = Number.POSITIVE_INFINITY } = await estimated();
  return Math.max(0, quota - usage);
}

/** Bytes that this site takes up; 0 where the browser can't tell. */
export async function storageUsedBytes(): Promise<number> {
  return (await estimated()).usage ?? 0;
}

/** The standard has a TypeError for a browser that can't tell, as after a failure of its disk. */
async function estimated(): Promise<StorageEstimate> {
  try {
    return await navigator.storage.estimate();
  } catch (error) {
    if (!hasName(error, "TypeError")) throw error;
    return {};
  }
}
