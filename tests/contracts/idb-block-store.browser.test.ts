/** IdbBlockStore and its worker under the contract of block stores, in a real browser. */
import { afterEach } from "vitest";
import { openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { startStorageWorker } from "../../src/browser/storage/storage-worker.ts";
import { blockStoreContract } from "./block-store.ts";

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

blockStoreContract(async ({ maxBytes }) => {
  const { work, stop } = await startStorageWorker();
  stops.push(stop);
  return await openIdbBlockStore({ work: work.blocks, databaseName: crypto.randomUUID(), maxBytes });
});
