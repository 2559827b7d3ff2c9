/**
 * What libp2p keeps between visits of a page: known peers. Opened by start-node, in the window; calls idb. Relaxed: losing
 * the last entries costs a lookup. A stored format:
 *
 *   database `shoal-libp2p`, version 1
 *   object store `entries`   key: the datastore's, `/`-separated · value: Uint8Array
 */
import { BaseDatastore } from "datastore-core";
import type { DBSchema } from "idb";
import { Key, type KeyQuery, type Pair, type Query } from "interface-datastore";
import { NotFoundError } from "interface-store";
import { IdbConnection } from "./idb-connection.ts";
import { storageError } from "./idb-errors.ts";
import { ENTRIES_PER_PAGE } from "./limits.ts";

interface DatastoreSchema extends DBSchema {
  entries: { key: string; value: Uint8Array };
}

export async function openIdbDatastore(databaseName = "shoal-libp2p"): Promise<IdbDatastore> {
  const connection = await IdbConnection.open<DatastoreSchema>(databaseName, (database) => {
    database.createObjectStore("entries");
  });
  return new IdbDatastore(connection);
}

export class IdbDatastore extends BaseDatastore {
  readonly #connection: IdbConnection<DatastoreSchema>;

  constructor(connection: IdbConnection<DatastoreSchema>) {
    super();
    this.#connection = connection;
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    const database = await this.#connection.database();
    try {
      // A copy of these bytes alone: a view would be stored with the whole buffer behind it.
      await database.put("entries", value.slice(), key.toString());
    } catch (error) {
      throw storageError(error);
    }
    return key;
  }

  override async get(key: Key): Promise<Uint8Array> {
    const value = await (await this.#connection.database()).get("entries", key.toString());
    if (value === undefined) throw new NotFoundError(`there is no ${key}`);
    return value;
  }

  override async has(key: Key): Promise<boolean> {
    return (await (await this.#connection.database()).count("entries", key.toString())) > 0;
  }

  override async delete(key: Key): Promise<void> {
    await (await this.#connection.database()).delete("entries", key.toString());
  }

  override async *_all({ prefix = "" }: Query): AsyncGenerator<Pair> {
    for await (const page of this.#pages(prefix)) {
      for (const [key, value] of page) yield { key: new Key(key), value };
    }
  }

  override async *_allKeys({ prefix = "" }: KeyQuery): AsyncGenerator<Key> {
    for await (const page of this.#pages(prefix)) for (const [key] of page) yield new Key(key);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Each page is a transaction of its own: the reader may take its time. */
  async *#pages(prefix: string): AsyncGenerator<[key: string, value: Uint8Array][]> {
    // Keys hold no character above this one.
    const end = `${prefix}\uffff`;
    for (let range = IDBKeyRange.bound(prefix, end); ; ) {
      const store = (await this.#connection.database()).transaction("entries").store;
      const [keys, values] = await Promise.all([
        store.getAllKeys(range, ENTRIES_PER_PAGE),
        store.getAll(range, ENTRIES_PER_PAGE),
      ]);
      yield keys.map((key, i) => [key, values[i] as Uint8Array]);
      const last = keys.at(-1);
      if (last === undefined || keys.length < ENTRIES_PER_PAGE) return;
      range = IDBKeyRange.bound(last, end, true);
    }
  }
}
