/**
 * The datastore that libp2p is given: provider records of the DHT are kept in memory, counted and capped for each
 * peer that sent them; all else goes to the datastore of the runtime. Without this any peer could make this node
 * keep records without end, since kad-dht has no cap. When all room is taken, whoever has the most gives way, down to an equal
 * share: twenty peers could take all of it for hours. Called by libp2p; a record beyond a cap is not kept, and its
 * sender is not told, as with any DHT node that forgets.
 */
import { MemoryDatastore } from "datastore-core";
import type { Pair } from "interface-datastore";
import type { Libp2pInit } from "libp2p";
import { shuffled } from "../../sharing/shuffled.ts";
import { MAX_PROVIDER_RECORDS, MAX_PROVIDER_RECORDS_PER_PEER, MAX_PROVIDERS_TOLD } from "./limits.ts";

type Datastore = NonNullable<Libp2pInit["datastore"]>;
type Key = Parameters<Datastore["put"]>[0];
type Query = Parameters<Datastore["query"]>[0];
type KeyQuery = Parameters<Datastore["queryKeys"]>[0];
type Options = Parameters<Datastore["put"]>[2];

/** kad-dht writes records under this prefix as `<prefix>/provider/<file>/<peer id>`. */
export const DHT_PREFIX = "/dht";
const RECORDS = `${DHT_PREFIX}/provider/`;

/** The capped part. Keys of this node itself are exempt: they are what it provides. */
export class ProviderRecords extends MemoryDatastore {
  readonly #ownId: string;
  /** By peer, the oldest first. */
  readonly #ofPeer = new Map<string, Set<Key>>();
  /** By `<prefix>/provider/<file>` and peer. */
  readonly #byFile = new Map<string, Map<string, Pair>>();
  #count = 0;

  constructor(ownId: string) {
    super();
    this.#ownId = ownId;
  }

  /** Counted and kept in one step: one message may bring the same record thousands of times at once. */
  override put(key: Key, value: Uint8Array): Key | Promise<Key> {
    const peer = peerOf(key);
    const file = key.parent().toString();
    const records = this.#byFile.get(file) ?? new Map<string, Pair>();
    const known = records.get(peer);
    if (peer !== this.#ownId && known === undefined) {
      const own = this.#ofPeer.get(peer) ?? new Set();
      if (own.size >= MAX_PROVIDER_RECORDS_PER_PEER || !this.#hasRoomFor(own.size)) return key;
      this.#ofPeer.set(peer, own.add(key));
      this.#count += 1;
    }
    this.#byFile.set(file, records.set(peer, { key: known?.key ?? key, value }));
    return super.put(key, value);
  }

  override delete(key: Key): void | Promise<void> {
    const peer = peerOf(key);
    const file = key.parent().toString();
    const records = this.#byFile.get(file);
    const known = records?.get(peer);
    if (records === undefined || known === undefined) return;
    records.delete(peer);
    if (records.size === 0) this.#byFile.delete(file);
    if (peer !== this.#ownId) {
      const own = this.#ofPeer.get(peer);
      own?.delete(known.key);
      if (own?.size === 0) this.#ofPeer.delete(peer);
      this.#count -= 1;
    }
    return super.delete(key);
  }

  /** For one more of a peer that has so many. */
  #hasRoomFor(count: number): boolean {
    if (this.#count < MAX_PROVIDER_RECORDS) return true;
    let most = new Set<Key>();
    for (const other of this.#ofPeer.values()) if (other.size > most.size) most = other;
    const [oldest] = most;
    if (oldest === undefined || most.size <= count + 1) return false;
    void this.delete(oldest);
    return true;
  }

  /** Of one file's records as many as an answer has room for, others each time. */
  override async *query(query: Query, options?: Options): AsyncGenerator<Pair> {
    if (!query.prefix?.startsWith(RECORDS)) {
      yield* super.query(query, options);
      return;
    }
    const ofFile = this.#byFile.get(query.prefix)?.values() ?? [];
    yield* shuffled([...ofFile], Math.random).slice(0, MAX_PROVIDERS_TOLD);
  }
}

/** Sends each key to where it belongs. Batches never hold provider records: kad-dht writes them one by one. */
export function withProviderRecords(inner: Datastore, ownId: string): Datastore {
  const records = new ProviderRecords(ownId);
  const place = (key: { toString(): string }): Datastore =>
    key.toString().startsWith(RECORDS) ? records : inner;
  const queried = (query: { prefix?: string }): Datastore =>
    `${query.prefix ?? ""}/`.startsWith(RECORDS) ? records : inner;
  return {
    put: (key: Key, value: Uint8Array, options?: Options) => place(key).put(key, value, options),
    get: (key: Key, options?: Options) => place(key).get(key, options),
    has: (key: Key, options?: Options) => place(key).has(key, options),
    delete: (key: Key, options?: Options) => place(key).delete(key, options),
    putMany: (source, options) => inner.putMany(source, options),
    getMany: (source, options) => inner.getMany(source, options),
    deleteMany: (source, options) => inner.deleteMany(source, options),
    batch: () => inner.batch(),
    query: (query: Query, options?: Options) => queried(query).query(query, options),
    queryKeys: (query: KeyQuery, options?: Options) => queried(query).queryKeys(query, options),
  };
}

function peerOf(key: Key): string {
  return key.name();
}
