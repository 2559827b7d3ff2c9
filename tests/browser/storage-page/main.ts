/** A page that does nothing but keep blocks. Driven by storage-kill.test.ts. */
import { CID } from "multiformats/cid";
import { type IdbBlockStore, openIdbBlockStore } from "../../../src/browser/blocks/idb-block-store.ts";
import { startStorageWorker } from "../../../src/browser/storage/storage-worker.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { blockCid, RAW, verifyBlock } from "../../../src/sharing/hash.ts";

declare global {
  interface Window {
    storagePage: typeof storagePage;
    /** Given by the test. */
    acknowledged(cid: string): Promise<void>;
  }
}

const CHUNK_BYTES = 1024 * 1024;
const WRITES_AT_ONCE = 12;

const { work } = await startStorageWorker();
const store = await openIdbBlockStore({ work: work.blocks, maxBytes: 2 ** 40 });

const storagePage = {
  /** Stores chunks of random bytes, `count` or without end, and tells of each that is stored. */
  async write(count = Number.POSITIVE_INFINITY): Promise<void> {
    const writers = Array.from({ length: WRITES_AT_ONCE }, async () => {
      while (count-- > 0) await window.acknowledged(await writeOne(store));
    });
    await Promise.all(writers);
  },

  /** Reads all that the store lists: bytes held as it says and in fact, which ids are there, which were lost. */
  async check(): Promise<{ usedBytes: number; heldBytes: number; held: string[]; lost: string[] }> {
    const { usedBytes } = store;
    const held: string[] = [];
    const lost: string[] = [];
    let heldBytes = 0;
    for await (const cid of store.list()) {
      const size = await readVerified(cid);
      if (size === undefined) lost.push(cid.toString());
      else held.push(cid.toString());
      heldBytes += size ?? 0;
    }
    return { usedBytes, heldBytes, held, lost };
  },

  has: (cid: string): boolean => store.has(CID.parse(cid)),
};
window.storagePage = storagePage;

async function writeOne(blocks: IdbBlockStore): Promise<string> {
  const bytes = new Uint8Array(CHUNK_BYTES);
  for (let at = 0; at < CHUNK_BYTES; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  const cid = await blockCid(bytes, RAW);
  await blocks.putVerified(cid, bytes);
  return cid.toString();
}

/** The block's size, or undefined for one that is lost. Throws for one that is wrong. */
async function readVerified(cid: CID): Promise<number | undefined> {
  try {
    const bytes = await collectBytes(store.get(cid));
    await verifyBlock(cid, bytes);
    return bytes.byteLength;
  } catch (error) {
    if (error instanceof Error && error.name === "NotFoundError") return undefined;
    throw error;
  }
}
