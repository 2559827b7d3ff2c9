/** Stores blocks, of 768 MB in all, and tells how many of their Blobs were there at once. Started by blob-weight. */
import { type BlockChange, IdbBlocks } from "../../src/browser/blocks/idb-blocks.ts";
import { BATCH_BYTES } from "../../src/browser/limits.ts";

const BATCHES = 96;
const BLOCKS_A_BATCH = 8;

let held = 0;
let mostHeld = 0;
const collected = new FinalizationRegistry<undefined>(() => {
  held -= 1;
});
globalThis.Blob = class extends Blob {
  constructor(parts?: BlobPart[]) {
    super(parts);
    collected.register(this, undefined);
    held += 1;
    mostHeld = Math.max(mostHeld, held);
  }
};
const blocks = await IdbBlocks.open("blob-weight");
const bytes = new Uint8Array(BATCH_BYTES / BLOCKS_A_BATCH);
for (let batch = 0; batch < BATCHES; batch++) {
  const keys = Array.from({ length: BLOCKS_A_BATCH }, (_, i) => `block-${i}`);
  await blocks.apply(keys.map((key): BlockChange => ({ type: "put", key, bytes })));
}
await blocks.close();
postMessage({ stored: BATCHES * BLOCKS_A_BATCH, mostHeld });
