/**
 * What libp2p keeps between runs: known peers, and the certificate that is part of our addresses. All of it is in memory, and
 * written behind, a second's changes together: libp2p reads and writes the entry of a peer for every stream that opens, and some
 * hundred before it dials anyone. Losing the last entries costs a lookup. Opened by the runtimes, each over a store of its own.
 */
import { BaseDatastore } from "datastore-core";
import { Key, type KeyQuery, type Pair, type Query } from "interface-datastore";
import { NotFoundError } from "interface-store";
import { KEPT_WRITE_DELAY_MS, MAX_UNWRITTEN_ENTRIES } from "./limits.ts";

export type Entry = [key: string, value: Uint8Array];
/** Undefined: the entry goes. */
export type EntryChange = [key: string, value: Uint8Array | undefined];

/** Where the entries are kept. */
export interface EntryStore {
  /** All of them. */
  pages(): AsyncIterable<Entry[]>;
  commit(changes: EntryChange[]): Promise<void>;
  close(): Promise<void>;
}

export interface KeptDatastoreOptions {
  /** Those of other peers; the one used longest ago gives way. */
  maxEntries: number;
  /** Told why the latest changes were not written. */
  onLost: (error: unknown) => void;
}

/** Where libp2p keeps keys and certificates of this node itself: few, and never given up. */
const OWN_KEYS = ["/pkcs8/", "/info/", "/libp2p/"];

export class KeptDatastore extends BaseDatastore {
  readonly #store: EntryStore;
  readonly #options: KeptDatastoreOptions;
  readonly #own = new Map<string, Uint8Array>();
  /** The one used last at the end. */
  readonly #others = new Map<string, Uint8Array>();
  /** Keys of entries that have changed since the last commit began. */
  readonly #unwritten = new Set<string>();
  #writeDue: ReturnType<typeof setTimeout> | undefined;
  /** The end of all commits so far. */
  #writing = Promise.resolve();
  #isClosed = false;

  private constructor(store: EntryStore, options: KeptDatastoreOptions) {
    super();
    this.#store = store;
    this.#options = options;
  }

  /** Also closes the store where it can't be read. */
  static async open(store: EntryStore, options: KeptDatastoreOptions): Promise<KeptDatastore> {
    const datastore = new KeptDatastore(store, options);
    try {
      await datastore.#load();
    } catch (error) {
      await datastore.close();
      throw error;
    }
    return datastore;
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    this.#keep(key.toString(), value);
    await this.#write(key.toString());
    return key;
  }

  override async get(key: Key): Promise<Uint8Array> {
    const name = key.toString();
    const entries = this.#entriesWith(name);
    const value = entries.get(name);
    if (value === undefined) throw new NotFoundError(`there is no ${key}`);
    entries.delete(name);
    entries.set(name, value);
    return value;
  }

  override async has(key: Key): Promise<boolean> {
    return this.#entriesWith(key.toString()).has(key.toString());
  }

  override async delete(key: Key): Promise<void> {
    const name = key.toString();
    if (this.#entriesWith(name).delete(name)) await this.#write(name);
  }

  // Filtered by prefix in the library. Copies of the lists, since reading an entry changes its place.
  override async *_all(_query: Query): AsyncGenerator<Pair> {
    for (const [key, value] of [...this.#own, ...this.#others]) yield { key: new Key(key), value };
  }

  override async *_allKeys(_query: KeyQuery): AsyncGenerator<Key> {
    for (const key of [...this.#own.keys(), ...this.#others.keys()]) yield new Key(key);
  }

  /** Settles when all is written; what is put later is in memory alone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writeNow();
    await this.#store.close();
  }

  async #load(): Promise<void> {
    for await (const page of this.#store.pages()) for (const [key, value] of page) this.#keep(key, value);
  }

  #entriesWith(key: string): Map<string, Uint8Array> {
    return OWN_KEYS.some((prefix) => key.startsWith(prefix)) ? this.#own : this.#others;
  }

  #keep(key: string, value: Uint8Array): void {
    const entries = this.#entriesWith(key);
    entries.delete(key);
    // A copy of these bytes alone: a view would be kept with the whole buffer behind it.
    entries.set(key, new Uint8Array(value));
    const [oldest] = this.#others.keys();
    if (this.#others.size > this.#options.maxEntries && oldest !== undefined)
      void this.delete(new Key(oldest));
  }

  /** Notes the change at once, and settles when few enough wait. */
  async #write(key: string): Promise<void> {
    // What libp2p notes on its way out.
    if (this.#isClosed) return;
    this.#unwritten.add(key);
    // Others are told of addresses with a certificate that is to outlive a kill.
    if (this.#entriesWith(key) === this.#own) void this.#writeNow();
    else this.#writeDue ??= setTimeout(() => void this.#writeNow(), KEPT_WRITE_DELAY_MS);
    if (this.#unwritten.size >= MAX_UNWRITTEN_ENTRIES) await this.#writeNow();
  }

  async #writeNow(): Promise<void> {
    clearTimeout(this.#writeDue);
    this.#writeDue = undefined;
    this.#writing = this.#writing.then(() => this.#commit());
    await this.#writing;
  }

  async #commit(): Promise<void> {
    const changes = [...this.#unwritten].map((key): EntryChange => [key, this.#entriesWith(key).get(key)]);
    if (changes.length === 0) return;
    this.#unwritten.clear();
    await this.#store.commit(changes).catch((error) => this.#options.onLost(error));
  }
}
