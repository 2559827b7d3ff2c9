/**
 * The room that the browser gives this site, and whether it may take it back. Called by the block store and by the page's
 * settings; calls the StorageManager. Source: WHATWG Storage Standard.
 */

export interface StorageState {
  /** Bytes that all of this site takes up. */
  usedBytes: number;
  /** Bytes that the browser allows it in all. */
  quotaBytes: number;
  /** false: the browser may remove everything when the disk fills up. */
  isPersistent: boolean;
}

export async function storageState(): Promise<StorageState> {
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return { usedBytes: usage, quotaBytes: quota, isPersistent: await navigator.storage.persisted() };
}

/** Asks the browser to keep what is stored; some ask the person. Gives whether it will. */
export async function askForPersistence(): Promise<boolean> {
  return await navigator.storage.persist();
}

/** Bytes that the browser still allows this site. */
export async function storageFreeBytes(): Promise<number> {
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return Math.max(0, quota - usage);
}
