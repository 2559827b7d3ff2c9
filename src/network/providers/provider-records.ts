/**
 * The datastore that libp2p is given: provider records of the DHT are kept in memory, counted and capped for each peer
 * that sent them; all else goes to the datastore of the runtime. Without this any peer could make this node keep
 * records without end, since kad-dht has no cap. When all room is taken, of a file's or in all, the origin that has the
 * most gives way, down to an equal share, and of its peers the one that has the most; and an answer names holders from
 * each origin: one host, under as many ids as it likes, could have all of either for hours. Called by libp2p; a record
 * beyond a cap is not kept, and its sender is not told, as with any DHT node that forgets.
 */
import { MemoryDatastore } from "datastore-core";
import type { Pair } from "interface-datastore";
import type { Libp2pInit } from "libp2p";
import { shuffled } from "../../sharing/shuffled.ts";
import { Counts } from "../counts.ts";
import { fromEachOrigin } from "../from-each-origin.ts";
import {
  MAX_PROVIDER_RECORDS,
  MAX_PROVIDER_RECORDS_PER_FILE,
  MAX_PROVIDER_RECORDS_PER_PEER,
  MAX_PROVIDERS_TOLD,
} from "./limits.ts";

type Datastore = NonNullable<Libp2pInit["datastore"]>;
type Key = Parameters<Datastore["put"]>[0];
type Query = Parameters<Datastore["query"]>[0];
type KeyQuery = Parameters<Datastore["queryKeys"]>[0];
type Options = Parameters<Datastore["put"]>[2];

/** kad-dht writes records under this prefix as `<prefix>/provider/<file>/<peer id>`. */
export const DHT_PREFIX = "/dht";
const RECORDS = `${DHT_PREFIX}/provider/`;

/** A peer's. */
interface Share {
  /** From where it came when it sent the first of them. Those that had gone by then are of one origin. */
  origin: string;
  /** The oldest first. */
  keys: Set<Key>;
}

/** The capped part. Keys of this node itself are exempt: they are what it provides. */
export class ProviderRecords extends MemoryDatastore {
  readonly #ownId: string;
  readonly #originOf: (peerId: string) => string | undefined;
  /** By peer. */
  readonly #shares = new Map<string, Share>();
  readonly #origins = new Counts();
  /** By origin. */
  readonly #peersOf = new Map<string, Counts>();
  /** By `<prefix>/provider/<file>` and peer, the one put longest ago first. */
  readonly #byFile = new Map<string, Map<string, Pair>>();
  #count = 0;

  /** `originOf`: from where a peer comes that is connected. */
  constructor(ownId: string, originOf: (peerId: string) => string | undefined) {
    super();
    this.#ownId = ownId;
    this.#originOf = originOf;
  }

  /** Counted and kept in one step: one message may bring the same record thousands of times at once. */
  override put(key: Key, value: Uint8Array): Key | Promise<Key> {
    const peer = peerOf(key);
    const file = key.parent().toString();
    const records = this.#byFile.get(file) ?? new Map<string, Pair>();
    const known = records.get(peer);
    if (peer !== this.#ownId && known === undefined) {
      const share = this.#shares.get(peer) ?? { origin: this.#originOf(peer) ?? "", keys: new Set() };
      if (share.keys.size >= MAX_PROVIDER_RECORDS_PER_PEER) return key;
      this.#makePlaceAmong(records, peer, share.origin);
      if (!this.#hasRoomFor(peer, share.origin)) return key;
      share.keys.add(key);
      this.#shares.set(peer, share);
      this.#countOne(peer, share.origin, 1);
    }
    records.delete(peer);
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
      const share = this.#shares.get(peer);
      share?.keys.delete(known.key);
      if (share?.keys.size === 0) this.#shares.delete(peer);
      if (share !== undefined) this.#countOne(peer, share.origin, -1);
    }
    return super.delete(key);
  }

  #countOne(peer: string, origin: string, by: 1 | -1): void {
    this.#count += by;
    this.#origins.change(origin, by);
    const peers = this.#peersOf.get(origin) ?? new Counts();
    peers.change(peer, by);
    if (peers.most === undefined) this.#peersOf.delete(origin);
    else this.#peersOf.set(origin, peers);
  }

  /** For one more of the peer, for which another may give way. */
  #hasRoomFor(peer: string, origin: string): boolean {
    if (this.#count < MAX_PROVIDER_RECORDS) return true;
    const most = this.#origins.most ?? origin;
    const isOther = this.#origins.of(most) > this.#origins.of(origin) + 1;
    const peers = this.#peersOf.get(isOther ? most : origin) ?? new Counts();
    const { most: giving } = peers;
    if (giving === undefined || (!isOther && peers.of(giving) <= peers.of(peer) + 1)) return false;
    const [oldest] = this.#shares.get(giving)?.keys ?? [];
    if (oldest !== undefined) void this.delete(oldest);
    return true;
  }

  /**
   * Among a file's, for one more. Of those with equal shares the one put longest ago gives way: who comes for a popular
   * file is often gone within minutes, and their records would keep out those that hold it now.
   */
  #makePlaceAmong(records: ReadonlyMap<string, Pair>, peer: string, origin: string): void {
    if (records.size < MAX_PROVIDER_RECORDS_PER_FILE) return;
    const others = [...records.keys()].filter((other) => other !== this.#ownId);
    const originOf = (other: string) => (other === peer ? origin : this.#shares.get(other)?.origin);
    const last = fromEachOrigin([peer, ...others.reverse()], originOf).at(-1) ?? peer;
    const record = records.get(last);
    if (record !== undefined) void this.delete(record.key);
  }

  /** Of one file's records as many as an answer has room for, others each time. */
  override async *query(query: Query, options?: Options): AsyncGenerator<Pair> {
    if (!query.prefix?.startsWith(RECORDS)) {
      yield* super.query(query, options);
      return;
    }
    const ofFile = shuffled([...(this.#byFile.get(query.prefix) ?? [])], Math.random);
    const named = fromEachOrigin(ofFile, ([peer]) => this.#shares.get(peer)?.origin);
    for (const [, record] of named.slice(0, MAX_PROVIDERS_TOLD)) yield record;
  }
}

/** Sends each key to where it belongs. Batches never hold provider records: kad-dht writes them one by one. */
export function withProviderRecords(
  inner: Datastore,
  ...forRecords: ConstructorParameters<typeof ProviderRecords>
): Datastore {
  const records = new ProviderRecords(...forRecords);
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
