/**
 * The database of indexes where they are kept in IndexedDB. Opened by idb-index-storage, which tells its form, and
 * index-presence.
 */
import { openDB } from "idb";
import type { IndexDb, IndexSchema } from "./idb-index-storage-pieces.ts";

export const INDEX_DATABASE = "shoal-index";

const VERSION = 1;

/** `onEnded`: the browser has ended the connection (site data cleared, a disk gone), or another page deletes the database. */
export function openIndexDatabase(onEnded: () => void): Promise<IndexDb> {
  return openDB<IndexSchema>(INDEX_DATABASE, VERSION, {
    upgrade(database) {
      const files = database.createObjectStore("files", { autoIncrement: true });
      files.createIndex("byPlace", "place", { unique: true });
      files.createIndex("byFolder", "folder");
      database.createObjectStore("pieces");
    },
    blocking(_current, _blocked, event) {
      (event.target as IDBDatabase).close();
      onEnded();
    },
    terminated: onEnded,
  });
}
