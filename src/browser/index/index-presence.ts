/**
 * Whether an index was ever stored in this browser. Called by open-page-index, in the window, so that a node whose index nobody uses
 * starts no worker for it.
 */
import { folderAt } from "../storage/opfs-folders.ts";
import { INDEX_DATABASE, openIndexDatabase } from "./index-database.ts";

export async function isIndexStored(path: string): Promise<boolean> {
  return (await isInDatabase(path)) || (await hasFolder(path));
}

/** Other indexes may lie in the same database, that of search by meaning for one. */
async function isInDatabase(path: string): Promise<boolean> {
  const databases = await indexedDB.databases();
  if (databases.every(({ name }) => name !== INDEX_DATABASE)) return false;
  // Where it is ended meanwhile, the look fails.
  const database = await openIndexDatabase(() => undefined);
  try {
    return (await database.countFromIndex("files", "byFolder", path)) > 0;
  } finally {
    database.close();
  }
}

async function hasFolder(path: string): Promise<boolean> {
  try {
    const directory = await folderAt(await navigator.storage.getDirectory(), path.split("/"));
    for await (const { kind } of directory.values()) if (kind === "file") return true;
    return false;
  } catch (error) {
    // Also where the engine keeps this storage from the page.
    if (error instanceof DOMException) return false;
    throw error;
  }
}
