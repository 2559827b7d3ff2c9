/**
 * What the blocks worker does: hashes blocks and keeps them. Hosted by workers/blocks.ts, called by IdbBlockStore over
 * Comlink; calls idb-blocks through blocks-batches. Bytes are moved from thread to thread, never copied. Of an error its
 * name and message cross.
 */
import { transfer } from "comlink";
import { CID } from "multiformats/cid";
import { SharingError } from "../sharing/errors.ts";
import { verifyBlock } from "../sharing/hash.ts";
import { BlocksBatches } from "./blocks-batches.ts";
import { IdbBlocks } from "./idb-blocks.ts";

export class BlocksWork {
  #opened: { blocks: IdbBlocks; batches: BlocksBatches } | undefined;

  /** Comes before all else. */
  async open(databaseName: string): Promise<void> {
    const blocks = await IdbBlocks.open(databaseName);
    this.#opened = { blocks, batches: new BlocksBatches((changes) => blocks.apply(changes)) };
  }

  /** Keys and sizes of at most `count` blocks, in the order of their keys, behind the key given. */
  sizes(after: string | undefined, count: number): Promise<[key: string, sizeBytes: number][]> {
    return this.#open().blocks.sizes(after, count);
  }

  /**
   * Settles when the block survives power loss. With `cid`, the spelling in bytes, only if it names the bytes.
   * @throws SharingError `hash_mismatch`, `storage_full`
   */
  async put(key: string, bytes: Uint8Array<ArrayBuffer>, cid: Uint8Array | undefined): Promise<void> {
    const { batches } = this.#open();
    if (cid !== undefined) await verifyBlock(CID.decode(cid), bytes);
    await batches.add({ type: "put", key, bytes });
  }

  async read(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const bytes = await this.#open().blocks.read(key);
    return bytes && transfer(bytes, [bytes.buffer]);
  }

  /** @throws SharingError `storage_full` */
  async delete(key: string): Promise<void> {
    await this.#open().batches.add({ type: "delete", key });
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
