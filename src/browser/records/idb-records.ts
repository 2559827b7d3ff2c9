/**
 * Records in IndexedDB. Opened by open-media, in the window; calls idb and grouped-writes, since each transaction is a
 * sync of the disk. A stored format:
 *
 *   database `shoal-records`, version 1
 *   object store `records`   key: [collection, key] · value: the document as JSON text
 */
import type { DBSchema } from "idb";
import { SharingError } from "../../sharing/errors.ts";
import { GroupedWrites } from "../../sharing/grouped-writes.ts";
import type { RecordChange, RecordCollection, Records } from "../../sharing/ports.ts";
import { RECORDS_PER_PAGE } from "../limits.ts";
import { IdbConnection } from "../storage/idb-connection.ts";
import { written } from "../storage/idb-errors.ts";

interface RecordsSchema extends DBSchema {
  records: { key: [collection: string, key: string]; value: string };
}

export async function openIdbRecords(databaseName = "shoal-records"): Promise<Records> {
  const connection = await IdbConnection.open<RecordsSchema>(databaseName, (database) => {
    database.createObjectStore("records");
  });
  return new IdbRecords(connection);
}

/** `json`: none for a deletion. */
interface Document {
  key: [collection: string, key: string];
  json: string | undefined;
}

class IdbRecords implements Records {
  readonly #connection: IdbConnection<RecordsSchema>;
  readonly #writes = new GroupedWrites<Document[]>((writes) => this.#write(writes.flat()));

  constructor(connection: IdbConnection<RecordsSchema>) {
    this.#connection = connection;
  }

  async get<T>(collection: RecordCollection, key: string): Promise<T | undefined> {
    const json = await (await this.#connection.database()).get("records", [collection, key]);
    return json === undefined ? undefined : (JSON.parse(json) as T);
  }

  /** Page by page, each a transaction of its own: the reader may take its time. */
  async *entries<T>(collection: RecordCollection): AsyncGenerator<[key: string, value: T]> {
    // An array sorts behind every string.
    const end = [collection, []];
    for (let range = IDBKeyRange.bound([collection], end); ; ) {
      const store = (await this.#connection.database()).transaction("records").store;
      const [keys, documents] = await Promise.all([
        store.getAllKeys(range, RECORDS_PER_PAGE),
        store.getAll(range, RECORDS_PER_PAGE),
      ]);
      for (const [i, [, key]] of keys.entries()) yield [key, JSON.parse(documents[i] as string) as T];
      const last = keys.at(-1);
      if (last === undefined || keys.length < RECORDS_PER_PAGE) return;
      range = IDBKeyRange.bound(last, end, true);
    }
  }

  async put<T>(collection: RecordCollection, key: string, value: T): Promise<void> {
    await this.batch([{ type: "put", collection, key, value }]);
  }

  async delete(collection: RecordCollection, key: string): Promise<void> {
    await this.batch([{ type: "delete", collection, key }]);
  }

  async batch(changes: RecordChange[]): Promise<void> {
    await this.#writes.write(changes.map(documentOf));
  }

  /** What waits for a write that is under way is refused: its tab may have lost the lead, and another have changed that since. */
  async close(): Promise<void> {
    await this.#connection.close();
  }

  async #write(documents: Document[]): Promise<void> {
    const database = await this.#connection.database();
    if (documents.length === 0) return;
    const transaction = database.transaction("records", "readwrite", { durability: "strict" });
    const requests = documents.map(({ key, json }) =>
      json === undefined ? transaction.store.delete(key) : transaction.store.put(json, key),
    );
    await written(transaction.done, requests);
  }
}

/** @throws SharingError `bad_request` */
function documentOf(change: RecordChange): Document {
  const { collection, key } = change;
  if (change.type === "delete") return { key: [collection, key], json: undefined };
  const json: string | undefined = JSON.stringify(change.value);
  if (json === undefined) {
    throw new SharingError("bad_request", `the value of ${collection}/${key} is no JSON document`);
  }
  return { key: [collection, key], json };
}
