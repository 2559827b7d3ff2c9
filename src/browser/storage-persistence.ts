/**
 * The room that the browser gives this site, and asking it to take none of that back. Called by the block store, by main for
 * the screens, and by start-node for the API; calls the StorageManager. Source: WHATWG Storage Standard.
 */

/** Asks the browser to keep what is stored; some ask the person. Gives whether it will. */
export async function askForPersistence(): Promise<boolean> {
  return await navigator.storage.persist();
}

/**
 * Bytes that the browser still allows this site; without end where it can't tell, for which the standard has a TypeError ("Internal
 * error when calculating storage usage."): what finds no room is refused when it is written.
 */
export async function storageFreeBytes(): Promise<number> {
  const { usage = 0, quota = Number.POSITIVE_INFINITY } = await navigator.storage.estimate().catch(unknown);
  return Math.max(0, quota - usage);
}

const unknown = (): StorageEstimate => ({});
