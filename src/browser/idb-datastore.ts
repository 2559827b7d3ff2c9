/**
 * What libp2p keeps between visits of a page: known peers. Opened by start-node, in the window; calls idb. All of it is in
 * memory, and written behind: libp2p reads and writes some hundred entries one after the other before it dials anyone, and
 * in a busy browser a transaction takes up to 50 ms. Losing the last entries costs a lookup. A stored format:
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
import { ENTRIES_PER_PAGE, MAX_ENTRIES, MAX_UNWRITTEN_ENTRIES } from "./limits.ts";

interface DatastoreSchema extends DBSchema {
  entries: { key: string; value: Uint8Array };
}

/** `onLost`: told why the latest changes were not written. */
export async function openIdbDatastore(
  onLost: (error: unknown) => void,
  databaseName = "shoal-libp2p",
): Promise<IdbDatastore> {
  const connection = await IdbConnection.open<DatastoreSchema>(databaseName, (database) => {
    database.createObjectStore("entries");
  });
  const datastore = new IdbDatastore(connection, onLost);
  await datastore.load();
  return datastore;
}

export class IdbDatastore extends BaseDatastore {
  readonly #connection: IdbConnection<DatastoreSchema>;
  readonly #onLost: (error: unknown) => void;
  /** At most MAX_ENTRIES, the one used last at the end. */
  readonly #entries = new Map<string, Uint8Array>();
  /** Changes for the next transaction; undefined: the entry goes. */
  readonly #unwritten = new Map<string, Uint8Array | undefined>();
  #writing: Promise<void> | undefined;

  constructor(connection: IdbConnection<DatastoreSchema>, onLost: (error: unknown) => void) {
    super();
    this.#connection = connection;
    this.#onLost = onLost;
  }

  async load(): Promise<void> {
    for await (const page of this.#pages()) for (const [key, value] of page) await this.#keep(key, value);
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    // A copy of these bytes alone: a view would be stored with the whole buffer behind it.
    const bytes = value.slice();
    await this.#keep(key.toString(), bytes);
    await this.#write(key.toString(), bytes);
    return key;
  }

  override async get(key: Key): Promise<Uint8Array> {
    const name = key.toString();
    const value = this.#entries.get(name);
    if (value === undefined) throw new NotFoundError(`there is no ${key}`);
    this.#entries.delete(name);
    this.#entries.set(name, value);
    return value;
  }

  override async has(key: Key): Promise<boolean> {
    return this.#entries.has(key.toString());
  }

  override async delete(key: Key): Promise<void> {
    if (this.#entries.delete(key.toString())) await this.#write(key.toString(), undefined);
  }

  // Filtered by prefix in the library. Copies of the lists, since reading an entry changes its place.
  override async *_all(_query: Query): AsyncGenerator<Pair> {
    for (const [key, value] of [...this.#entries]) yield { key: new Key(key), value };
  }

  override async *_allKeys(_query: KeyQuery): AsyncGenerator<Key> {
    for (const key of [...this.#entries.keys()]) yield new Key(key);
  }

  /** Settles when all is written. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#connection.close();
  }

  async #keep(key: string, value: Uint8Array): Promise<void> {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) await this.delete(new Key(oldest));
  }

  async #write(key: string, value: Uint8Array | undefined): Promise<void> {
    while (this.#unwritten.size >= MAX_UNWRITTEN_ENTRIES) await this.#writing;
    this.#unwritten.set(key, value);
    this.#writing ??= this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.size > 0) {
      const changes = [...this.#unwritten];
      this.#unwritten.clear();
      await this.#commit(changes).catch((error) => this.#onLost(storageError(error)));
    }
    this.#writing = undefined;
  }

  async #commit(changes: [key: string, value: Uint8Array | undefined][]): Promise<void> {
    const transaction = (await this.#connection.database()).transaction("entries", "readwrite");
    const requests = changes.map(([key, value]) =>
      value === undefined ? transaction.store.delete(key) : transaction.store.put(value, key),
    );
    await Promise.all([...requests, transaction.done]);
  }

  /** Each page is a transaction of its own. */
  async *#pages(): AsyncGenerator<[key: string, value: Uint8Array][]> {
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
}
