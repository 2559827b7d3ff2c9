/** What the stores of a page promise together, beyond the contract of each. */
import { expect, it, onTestFinished, vi } from "vitest";
import { openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { IdbBlocks } from "../../src/browser/blocks/idb-blocks.ts";
import { openOpfsFiles } from "../../src/browser/files/opfs-files.ts";
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { askForPersistence, storageFreeBytes } from "../../src/browser/storage/storage-persistence.ts";
import { SharingError, type SharingErrorName } from "../../src/sharing/errors.ts";
import { blockCid, RAW } from "../../src/sharing/hash.ts";
import { bytesOf, freshFolder, MIB, startWorker } from "../browser/page-storage.ts";

it("a database that another page deletes is let go of at once, and made anew", async () => {
  const name = crypto.randomUUID();
  const records = await openIdbRecords(name);
  await records.put("files", "one", 1);
  await new Promise((resolve, reject) => {
    const deleting = indexedDB.deleteDatabase(name);
    deleting.onsuccess = resolve;
    for (const event of ["blocked", "error"] as const)
      deleting.addEventListener(event, () => reject(new Error(event)));
  });
  expect(await records.get("files", "one")).toBeUndefined();
  await records.put("files", "one", 2);
  expect(await records.get("files", "one")).toBe(2);
  await records.close();
  await expect(records.get("files", "one")).rejects.toMatchObject({ name: "stopped" });
});

it("what the storage worker refuses is told as it was, which transfers take for foreseen", async () => {
  const { work } = await startWorker();
  const store = await openIdbBlockStore({ work: work.blocks, databaseName: crypto.randomUUID() });
  const root = await freshFolder();
  await root.getFileHandle("file", { create: true });
  const files = await openOpfsFiles({ work: work.outputs, root });
  const refusals: [SharingErrorName, () => Promise<unknown>][] = [
    ["hash_mismatch", async () => store.putVerified(await blockCid(bytesOf(1), RAW), bytesOf(2))],
    ["output_exists", () => files.openOutput("file", { overwrite: false })],
    ["bad_request", () => files.openOutput("file/below", { overwrite: false })],
  ];
  for (const [name, refused] of refusals) {
    const error = await refused().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(SharingError);
    expect(error).toMatchObject({ name });
  }
  await store.close();
});

it("chunks and records are durable when they are acknowledged: each is put by a strict transaction", async () => {
  const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
  onTestFinished(() => transactions.mockRestore());
  const blocks = await IdbBlocks.open(crypto.randomUUID());
  const records = await openIdbRecords(crypto.randomUUID());
  await blocks.apply([
    { type: "delete", key: "a" },
    { type: "put", key: "b", bytes: new Uint8Array(MIB) },
  ]);
  await blocks.apply([{ type: "delete", key: "a" }]);
  await records.batch([
    { type: "put", collection: "files", key: "a", value: 1 },
    { type: "delete", collection: "files", key: "b" },
  ]);
  await Promise.all([blocks.close(), records.close()]);
  const writing = transactions.mock.calls.filter(([, mode]) => mode === "readwrite");
  expect(writing.map(([, , options]) => options?.durability)).toEqual([
    "strict",
    // What a deletion leaves behind is swept at the next start.
    "relaxed",
    "strict",
  ]);
});

it("the page knows how much more it may store, and whether that can be taken from it", async () => {
  const { quota } = await navigator.storage.estimate();
  const freeBytes = await storageFreeBytes();
  expect(freeBytes).toBeGreaterThan(0);
  expect(freeBytes).toBeLessThanOrEqual(quota as number);
  expect(await askForPersistence()).toBe(await navigator.storage.persisted());
});
