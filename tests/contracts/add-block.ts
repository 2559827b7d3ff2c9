/** Hashes and stores one block: what tests do to fill a store. */
import type { CID } from "multiformats/cid";
import { blockCid } from "../../src/sharing/hash.ts";
import type { BlockStore } from "../../src/sharing/ports.ts";

export async function addBlock(store: BlockStore, bytes: Uint8Array, codec: number): Promise<CID> {
  const cid = await blockCid(bytes, codec);
  await store.put(cid, bytes);
  return cid;
}
