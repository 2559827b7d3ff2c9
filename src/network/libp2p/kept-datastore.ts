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
  /** For the next commit. */
  readonly #unwritten = new Map<string, Uint8Array | undefined>();
  #writeDue: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | undefined;
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
    await this.#write(key.toString(), await this.#keep(key.toString(), value));
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
    if (this.#entriesWith(name).delete(name)) await this.#write(name, undefined);
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
    // Who waited for room to be written has it after the first time.
    do await this.#writeNow();
    while (this.#unwritten.size > 0);
    this.#isClosed = true;
    await this.#store.close();
  }

  async #load(): Promise<void> {
    for await (const page of this.#store.pages())
      for (const [key, value] of page) await this.#keep(key, value);
  }

  #entriesWith(key: string): Map<string, Uint8Array> {
    return OWN_KEYS.some((prefix) => key.startsWith(prefix)) ? this.#own : this.#others;
  }

  async #keep(key: string, value: Uint8Array): Promise<Uint8Array> {
    // A copy of these bytes alone: a view would be kept with the whole buffer behind it.
    const bytes = new Uint8Array(value);
    const entries = this.#entriesWith(key);
    entries.delete(key);
    entries.set(key, bytes);
    const [oldest] = this.#others.keys();
    if (this.#others.size > this.#options.maxEntries && oldest !== undefined)
      await this.delete(new Key(oldest));
    return bytes;
  }

  async #write(key: string, value: Uint8Array | undefined): Promise<void> {
    while (this.#unwritten.size >= MAX_UNWRITTEN_ENTRIES) await this.#writeNow();
    // What libp2p notes on its way out.
    if (this.#isClosed) return;
    this.#unwritten.set(key, value);
    // Others are told of addresses with a certificate that is to outlive a kill.
    if (this.#entriesWith(key) === this.#own) void this.#writeNow();
    else this.#writeDue ??= setTimeout(() => void this.#writeNow(), KEPT_WRITE_DELAY_MS);
  }

  /** Settles when nothing is left that was to be written, for all that ask meanwhile. */
  #writeNow(): Promise<void> {
    clearTimeout(this.#writeDue);
    this.#writeDue = undefined;
    if (this.#unwritten.size > 0) this.#writing ??= this.#writeAll();
    return this.#writing ?? Promise.resolve();
  }

  async #writeAll(): Promise<void> {
    while (this.#unwritten.size > 0) {
      const changes = [...this.#unwritten];
      this.#unwritten.clear();
      await this.#store.commit(changes).catch((error) => this.#options.onLost(error));
    }
    this.#writing = undefined;
  }
}
