/**
 * Where a page keeps what libp2p keeps between visits. Opened by open-media, in the window, where a transaction takes up to 50 ms
 * while the browser is busy; calls idb. A stored format:
 *
 *   database `shoal-libp2p`, version 1
 *   object store `entries`   key: the datastore's, `/`-separated · value: Uint8Array
 */
import type { DBSchema } from "idb";
import {
  type Entry,
  type EntryChange,
  type EntryStore,
  KeptDatastore,
} from "../../network/libp2p/kept-datastore.ts";
import { ENTRIES_PER_PAGE, MAX_ENTRIES } from "../limits.ts";
import { IdbConnection } from "../storage/idb-connection.ts";
import { storageError } from "../storage/idb-errors.ts";

interface DatastoreSchema extends DBSchema {
  entries: { key: string; value: Uint8Array };
}

/** `onLost`: told why the latest changes were not written. */
export async function openIdbDatastore(
  onLost: (error: unknown) => void,
  databaseName = "shoal-libp2p",
): Promise<KeptDatastore> {
  const connection = await IdbConnection.open<DatastoreSchema>(databaseName, (database) => {
    database.createObjectStore("entries");
  });
  return await KeptDatastore.open(new IdbEntries(connection), { maxEntries: MAX_ENTRIES, onLost });
}

class IdbEntries implements EntryStore {
  readonly #connection: IdbConnection<DatastoreSchema>;

  constructor(connection: IdbConnection<DatastoreSchema>) {
    this.#connection = connection;
  }

  /** Each is a transaction of its own. */
  async *pages(): AsyncGenerator<Entry[]> {
    for (let range: IDBKeyRange | undefined; ; ) {
      const store = (await this.#connection.database()).transaction("entries").store;
      const [keys, values] = await Promise.all([
        store.getAllKeys(range, ENTRIES_PER_PAGE),
        store.getAll(range, ENTRIES_PER_PAGE),
      ]);
      yield keys.map((key, i) => [key, values[i] as Uint8Array]);
      const last = keys.at(-1);
      if (last === undefined || keys.length < ENTRIES_PER_PAGE) return;
      range = IDBKeyRange.lowerBound(last, true);
    }
  }

  /** @throws SharingError `storage_full`, and what else the browser fails with */
  async commit(changes: EntryChange[]): Promise<void> {
    try {
      const transaction = (await this.#connection.database()).transaction("entries", "readwrite");
      const requests = changes.map(([key, value]) =>
        value === undefined ? transaction.store.delete(key) : transaction.store.put(value, key),
      );
      await Promise.all([...requests, transaction.done]);
    } catch (error) {
      throw storageError(error);
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}
