/**
 * A database of IndexedDB that is opened again when the browser ended its connection (site data cleared, a disk gone)
 * or another page asked for it to be closed. Used by everything here that keeps data in IndexedDB; calls idb.
 */
import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { SharingError } from "../../sharing/errors.ts";

/** Makes the object stores of a database that was not there. */
export type CreateStores<Schema extends DBSchema> = (database: IDBPDatabase<Schema>) => void;

/** Every format here is at its first version. */
const VERSION = 1;

export class IdbConnection<Schema extends DBSchema> {
  readonly #name: string;
  readonly #create: CreateStores<Schema>;
  #opening: Promise<IDBPDatabase<Schema>> | undefined;
  #closed = false;

  /** It is opened when it is first asked for. */
  constructor(name: string, create: CreateStores<Schema>) {
    this.#name = name;
    this.#create = create;
  }

  static async open<Schema extends DBSchema>(
    name: string,
    create: CreateStores<Schema>,
  ): Promise<IdbConnection<Schema>> {
    const connection = new IdbConnection(name, create);
    await connection.database();
    return connection;
  }

  /** @throws SharingError `stopped` */
  async database(): Promise<IDBPDatabase<Schema>> {
    if (this.#closed) throw new SharingError("stopped", `the database ${this.#name} is closed`);
    this.#opening ??= this.#open();
    return await this.#opening;
  }

  /** Transactions that were begun still end. */
  async close(): Promise<void> {
    this.#closed = true;
    const opening = this.#opening;
    this.#opening = undefined;
    (await opening)?.close();
  }

  #open(): Promise<IDBPDatabase<Schema>> {
    const opening: Promise<IDBPDatabase<Schema>> = openDB<Schema>(this.#name, VERSION, {
      upgrade: (database) => this.#create(database),
      blocking: (_current, _blocked, event) => {
        (event.target as IDBDatabase).close();
        forget();
      },
      terminated: () => forget(),
    });
    const forget = () => {
      if (this.#opening === opening) this.#opening = undefined;
    };
    opening.catch(forget);
    return opening;
  }
}
