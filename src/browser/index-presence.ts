/**
 * Whether an index was ever stored in this browser. Called by open-vx, in the window, so that a node whose index nobody uses
 * starts no worker for it.
 */
export const INDEX_DATABASE = "shoal-index";

export async function isIndexStored(path: string): Promise<boolean> {
  const databases = await indexedDB.databases();
  return databases.some(({ name }) => name === INDEX_DATABASE) || (await hasFolder(path));
}

async function hasFolder(path: string): Promise<boolean> {
  try {
    let directory = await navigator.storage.getDirectory();
    for (const part of path.split("/")) directory = await directory.getDirectoryHandle(part);
    for await (const { kind } of directory.values()) if (kind === "file") return true;
    return false;
  } catch (error) {
    // Also where the engine keeps this storage from the page.
    if (error instanceof DOMException) return false;
    throw error;
  }
}
