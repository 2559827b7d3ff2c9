/**
 * Writes random blocks until it is killed, telling the CID of each once it is stored. Started by
 * fs-block-store.test.ts; argument: the store's folder.
 */
import { randomBytes } from "node:crypto";
import { openFsBlockStore } from "../../../src/headless/blocks/open-block-store.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { addBlock } from "../../contracts/add-block.ts";

const [root = ""] = process.argv.slice(2);
function fail(error: unknown): never {
  throw error;
}

const store = await openFsBlockStore({ root, maxBytes: 2 ** 40, onError: fail });

async function writeForEver(): Promise<never> {
  for (;;) {
    const cid = await addBlock(store, new Uint8Array(randomBytes(200_000)), RAW);
    process.stdout.write(`${cid}\n`);
  }
}
await Promise.all(Array.from({ length: 4 }, writeForEver));
