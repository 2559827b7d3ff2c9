/**
 * What the blocks worker does: hashes blocks and keeps them. Hosted by workers/blocks.ts, called by IdbBlockStore over
 * Comlink; calls idb-blocks through blocks-batches. Bytes are moved from thread to thread, never copied. Of an error its
 * name and message cross.
 */
import { transfer } from "comlink";
import { CID } from "multiformats/cid";
import type { Loss } from "../../sharing/catalog/loss-log.ts";
import { SharingError } from "../../sharing/errors.ts";
import { isBlock, verifyBlock } from "../../sharing/hash.ts";
import { storedBytes } from "./blob-bytes.ts";
import { BlocksBatches } from "./blocks-batches.ts";
import { blockKey, cidOfKey } from "./blocks-keys.ts";
import { IdbBlocks } from "./idb-blocks.ts";

export interface PutManner {
  /** The bytes are checked against the key. */
  verified: boolean;
  /** As BlockStore.putVerified says. */
  moreToCome: boolean;
}

export class BlocksWork {
  #opened: { blocks: IdbBlocks; batches: BlocksBatches } | undefined;

  /** Comes before all else. */
  async open(databaseName: string): Promise<void> {
    const blocks = await IdbBlocks.open(databaseName);
    this.#opened = { blocks, batches: new BlocksBatches((changes) => blocks.apply(changes)) };
  }

  /** Keys and sizes of at most `count` blocks, in the database's order, behind the key given. */
  async sizes(after: string | undefined, count: number): Promise<[key: string, sizeBytes: number][]> {
    const last = after === undefined ? undefined : nameOf(after);
    const page = await this.#open().blocks.sizes(last, count);
    return page.map(([name, sizeBytes]) => [blockKey(CID.parse(name)), sizeBytes]);
  }

  /**
   * Settles when the block survives power loss, and gives its bytes back.
   * @throws SharingError `storage_full`, `hash_mismatch` (`verified` and not the bytes that the key names)
   */
  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    { verified, moreToCome }: PutManner,
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { batches } = this.#open();
    if (verified) await verifyBlock(cidOfKey(key), bytes);
    await batches.add({ type: "put", key: nameOf(key), bytes }, moreToCome);
    return transfer(bytes, [bytes.buffer]);
  }

  /** For a block that the browser has lost, or, where it is `doubted`, that is not what the key names, gives why. */
  async read(key: string, doubted = false): Promise<Uint8Array<ArrayBuffer> | Loss["why"]> {
    const bytes = await this.#open().blocks.read(nameOf(key));
    if (!(bytes instanceof Uint8Array)) return bytes;
    if (doubted && !(await isBlock(cidOfKey(key), bytes))) return "damaged";
    return transfer(bytes, [bytes.buffer]);
  }

  /** What is wrong with a block, whose bytes stay here; undefined where it is what the key names. */
  async look(key: string): Promise<Loss["why"] | undefined> {
    const bytes = await this.#open().blocks.read(nameOf(key));
    if (!(bytes instanceof Uint8Array)) return bytes;
    return (await isBlock(cidOfKey(key), bytes)) ? undefined : "damaged";
  }

  /** Undefined where `read` would give no bytes; they are touched only where it is `doubted`. */
  async blob(key: string, doubted: boolean): Promise<Blob | undefined> {
    const { blocks } = this.#open();
    const blob = await blocks.blob(nameOf(key));
    if (blob === undefined || !doubted) return blob;
    const bytes = await storedBytes(async () => blob);
    return bytes instanceof Uint8Array && (await isBlock(cidOfKey(key), bytes)) ? blob : undefined;
  }

  async delete(key: string): Promise<void> {
    await this.#open().batches.add({ type: "delete", key: nameOf(key) });
  }

  async close(): Promise<void> {
    const { blocks, batches } = this.#open();
    await batches.idle();
    await blocks.close();
  }

  #open(): { blocks: IdbBlocks; batches: BlocksBatches } {
    if (this.#opened === undefined) throw new SharingError("stopped", "the blocks are not open");
    return this.#opened;
  }
}

/** What the database calls a block. */
function nameOf(key: string): string {
  return cidOfKey(key).toString();
}
