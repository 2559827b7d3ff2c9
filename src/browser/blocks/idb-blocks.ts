/**
 * The bytes of blocks in IndexedDB. Opened by blocks-work, in a worker; calls idb. A stored format:
 *
 *   database `shoal-blocks`, version 1
 *   object store `blocks`   key: CIDv1 in base32, lower case · value: Blob, the block's bytes
 *   object store `sizes`    key: the same · value: number, the block's size in bytes
 *
 * Both entries of a block are written and deleted in one transaction, so `sizes` says what is held without a block being
 * touched. Blobs, because Chromium reads and writes them 1.3 to 2 times as fast as buffers, which it copies twice more.
 *
 * Every put is strict. Chromium keeps what is larger than 64 KiB in a file of its own, which a relaxed transaction leaves
 * to the operating system, and no later one can make durable: relaxed, nothing could stand behind `flush`. In batches the
 * difference was too small to measure.
 */
import type { DBSchema } from "idb";
import type { Loss } from "../../sharing/catalog/loss-log.ts";
import { IdbConnection } from "../storage/idb-connection.ts";
import { written } from "../storage/idb-errors.ts";
import { storedBytes } from "./blob-bytes.ts";
import { BlobWeight } from "./blob-weight.ts";

interface BlocksSchema extends DBSchema {
  blocks: { key: string; value: Blob };
  sizes: { key: string; value: number };
}

export type BlockChange =
  | { type: "put"; key: string; bytes: Uint8Array<ArrayBuffer> }
  | { type: "delete"; key: string };

export class IdbBlocks {
  readonly #connection: IdbConnection<BlocksSchema>;
  readonly #weight = new BlobWeight();

  private constructor(connection: IdbConnection<BlocksSchema>) {
    this.#connection = connection;
  }

  static async open(name: string): Promise<IdbBlocks> {
    const connection = await IdbConnection.open<BlocksSchema>(name, (database) => {
      database.createObjectStore("blocks");
      database.createObjectStore("sizes");
    });
    return new IdbBlocks(connection);
  }

  /** Keys and sizes of at most `count` blocks, in the order of their keys, behind the key given. */
  async sizes(after: string | undefined, count: number): Promise<[key: string, sizeBytes: number][]> {
    const range = after === undefined ? null : IDBKeyRange.lowerBound(after, true);
    const store = (await this.#connection.database()).transaction("sizes").store;
    const [keys, sizes] = await Promise.all([store.getAllKeys(range, count), store.getAll(range, count)]);
    return keys.map((key, i) => [key, sizes[i] as number]);
  }

  /**
   * Makes all changes, in order, or none. Puts survive power loss once settled; a deletion that is lost is made again by
   * the sweep at the next start.
   * @throws SharingError `storage_full`
   */
  async apply(changes: readonly BlockChange[]): Promise<void> {
    const database = await this.#connection.database();
    const durability = changes.some(({ type }) => type === "put") ? "strict" : "relaxed";
    const transaction = database.transaction(["blocks", "sizes"], "readwrite", { durability });
    const blocks = transaction.objectStore("blocks");
    const sizes = transaction.objectStore("sizes");
    const requests = changes.flatMap((change): Promise<unknown>[] => {
      const { key } = change;
      if (change.type === "delete") return [blocks.delete(key), sizes.delete(key)];
      this.#weight.add(change.bytes.byteLength);
      return [blocks.put(new Blob([change.bytes]), key), sizes.put(change.bytes.byteLength, key)];
    });
    await written(transaction.done, requests);
  }

  /** For a block that isn't there, or whose entry is and whose bytes the browser has lost, gives why. */
  async read(key: string): Promise<Uint8Array<ArrayBuffer> | Loss["why"]> {
    return await storedBytes(() => this.blob(key));
  }

  /** The entry of a block, whose bytes are not touched. */
  async blob(key: string): Promise<Blob | undefined> {
    return await (await this.#connection.database()).get("blocks", key);
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }
}
