/** What the block store of a page promises beyond its contract when its thread ends, the quota is used up, or data is lost. */
import type { CID } from "multiformats/cid";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type IdbBlockStore, openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { IdbBlocks } from "../../src/browser/blocks/idb-blocks.ts";
import { openOpfsFiles } from "../../src/browser/files/opfs-files.ts";
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { startStorageWorker } from "../../src/browser/storage/storage-worker.ts";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { SharingError } from "../../src/sharing/errors.ts";
import { blockCid, RAW, verifyBlock } from "../../src/sharing/hash.ts";
import { BELIEVED_MS } from "../../src/sharing/limits.ts";
import { allRejected } from "../all-rejected.ts";
import {
  bytesOf,
  clearData,
  freshFolder,
  limitQuota,
  MIB,
  openStore,
  random,
  startWorker,
} from "../browser/page-storage.ts";
import { deferred } from "../deferred.ts";
import { addBlock } from "./add-block.ts";

const never = new AbortController().signal;

describe("the block store of a page", () => {
  it("keeps every acknowledged block, whole, when its thread is ended amid writes", async () => {
    const databaseName = crypto.randomUUID();
    for (let round = 0; round < 3; round++) {
      const worker = await startStorageWorker();
      const store = await openStore(worker, databaseName);
      const acknowledged: CID[] = [];
      await new Promise<void>((enough) => {
        for (let i = 0; i < 60; i++) {
          const bytes = bytesOf(i, MIB / 4);
          new DataView(bytes.buffer).setUint32(0, round);
          const put = blockCid(bytes, RAW).then(async (cid) => {
            await store.putVerified(cid, bytes);
            acknowledged.push(cid);
            if (acknowledged.length === 10) enough();
          });
          // Most of them fail: their thread is gone.
          put.catch(() => undefined);
        }
      });
      worker.stop();
      const told = [...acknowledged];

      const reopened = await openStore(await startWorker(), databaseName);
      expect(told.length).toBeLessThan(60);
      for (const cid of told) await readVerified(reopened, cid);
      let heldBytes = 0;
      for await (const cid of reopened.list()) heldBytes += await readVerified(reopened, cid);
      expect(reopened.usedBytes).toBe(heldBytes);
      await reopened.close();
    }
  });

  it("reports a block that the browser has lost as missing, forgets it, and takes it anew", async () => {
    const databaseName = crypto.randomUUID();
    const store = await openStore(await startWorker(), databaseName);
    const [lost, kept] = [await addBlock(store, bytesOf(1), RAW), await addBlock(store, bytesOf(2), RAW)];
    await loseBytes(databaseName, lost);

    await expect(readVerified(store, lost)).rejects.toMatchObject({ name: "NotFoundError" });
    expect(store.has(lost)).toBe(false);
    expect(store.usedBytes).toBe(1000);
    await store.putVerified(lost, bytesOf(1));
    await readVerified(store, lost);
    await readVerified(store, kept);
    await store.close();
  });

  it("gives no peer what came to harm since it was looked at, and forgets it", async () => {
    const databaseName = crypto.randomUUID();
    const before = await openStore(await startWorker(), databaseName);
    const cids = await Promise.all([1, 2, 3].map((seed) => addBlock(before, bytesOf(seed), RAW)));
    const [kept, posted, sent] = cids as [CID, CID, CID];
    for (const cid of [posted, sent]) await harmBytes(databaseName, cid);
    await before.close();

    const store = await openStore(await startWorker(), databaseName);
    for (let round = 0; round < 2; round++) {
      expect(await store.read(kept, undefined, never)).toEqual(bytesOf(1));
      expect((await store.blob(kept))?.size).toBe(1000);
    }
    expect(await store.blob(posted)).toBeUndefined();
    for (const cid of [posted, sent]) {
      await expect(store.read(cid, undefined, never)).rejects.toMatchObject({ name: "NotFoundError" });
      expect(store.has(cid)).toBe(false);
    }
    await store.putVerified(posted, bytesOf(2));
    await harmBytes(databaseName, posted);
    store.doubt(posted);
    expect(await store.blob(posted)).toBeUndefined();
    await store.putVerified(sent, bytesOf(3));
    await harmBytes(databaseName, sent);
    const later = performance.now() + BELIEVED_MS;
    const clock = vi.spyOn(performance, "now").mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    expect(await store.blob(sent)).toBeUndefined();
    await expect(store.read(sent, undefined, never)).rejects.toMatchObject({ name: "NotFoundError" });
    await store.close();
  });

  it("keeps a block that was deleted and put anew while it was read", async () => {
    const { work } = await startWorker();
    const databaseName = crypto.randomUUID();
    const putAnew = deferred();
    const readOnce = deferred();
    /** The worker's blocks, whose first answer to a read comes after the new put. */
    const slow = new Proxy(await work.blocks, {
      get: (blocks, name) => {
        if (name !== "read") return Reflect.get(blocks, name);
        return async (key: string) => {
          const bytes = await blocks.read(key);
          readOnce.resolve();
          await putAnew.promise;
          return bytes;
        };
      },
    });
    const store = await openIdbBlockStore({ work: slow, databaseName, maxBytes: MIB });
    const cid = await addBlock(store, bytesOf(1), RAW);
    await loseBytes(databaseName, cid);

    const reading = readVerified(store, cid);
    await readOnce.promise;
    await store.delete(cid);
    await store.putVerified(cid, bytesOf(1));
    putAnew.resolve();
    expect(await reading).toBe(1000);
    expect(store.has(cid)).toBe(true);
    expect(store.usedBytes).toBe(1000);
    await store.close();
  });

  it("fails what is under way, and all that comes, once its thread is ended", async () => {
    const worker = await startStorageWorker();
    const store = await openStore(worker, crypto.randomUUID());
    const files = await openOpfsFiles({ work: worker.work.outputs, root: await freshFolder() });
    const output = await files.openOutput("movie", { overwrite: false });
    const kept = await addBlock(store, bytesOf(1), RAW);
    const writing = output.write(0, bytesOf(1, MIB));
    const putting = addBlock(store, bytesOf(2, MIB), RAW);
    const reading = readVerified(store, kept);
    worker.stop();
    const after = [addBlock(store, bytesOf(3), RAW), output.commit(MIB)];
    await allRejected([writing, putting, reading, ...after], { name: "stopped" });
    await output.discard();
    await store.close();
    worker.stop();
  });

  it("goes on after the person cleared the site's data: all is missing, and is taken anew", async () => {
    const store = await openStore(await startWorker(), crypto.randomUUID());
    const records = await openIdbRecords(crypto.randomUUID());
    const cid = await addBlock(store, bytesOf(1), RAW);
    await records.put("files", "one", 1);
    await clearData("indexeddb");

    await expect(readVerified(store, cid)).rejects.toMatchObject({ name: "NotFoundError" });
    expect(store.usedBytes).toBe(0);
    await store.putVerified(cid, bytesOf(1));
    await readVerified(store, cid);
    expect(await records.get("files", "one")).toBeUndefined();
    await records.put("files", "one", 2);
    expect(await records.get("files", "one")).toBe(2);
    await Promise.all([store.close(), records.close()]);
  });

  it("answers a used-up quota with storage_full, leaves nothing, and goes on when there is room", async () => {
    // Chromium remembers for a while how much room there was, but not across this.
    await clearData("indexeddb");
    await limitQuota(1);
    const store = await openStore(await startWorker(), crypto.randomUUID());
    const puts = Array.from({ length: 10 }, (_, i) => addBlock(store, random(MIB, i), RAW));
    for (const outcome of await Promise.allSettled(puts)) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "storage_full" } });
      expect((outcome as PromiseRejectedResult).reason).toBeInstanceOf(SharingError);
    }
    expect(store.usedBytes).toBe(0);

    await limitQuota(undefined);
    await readVerified(store, await addBlock(store, random(MIB, 99), RAW));
    expect(store.usedBytes).toBe(MIB);
    await store.close();
  });

  it("leaves a caller's buffer as it was, whole and the caller's", async () => {
    const store = await openStore(await startWorker(), crypto.randomUUID());
    const buffer = store.buffers.take();
    const chunk = buffer.subarray(0, 100).fill(7);
    const cid = await blockCid(chunk, RAW);
    await store.putVerified(cid, chunk);
    expect(chunk).toEqual(bytesOf(7, 100));
    buffer.fill(0);
    expect(await collectBytes(store.get(cid))).toEqual(bytesOf(7, 100));
    await store.close();
  });
});

it("chunks are listed some at a time, each once, in the order of their keys", async () => {
  const blocks = await IdbBlocks.open(crypto.randomUUID());
  const puts = ["c", "a", "b"].map((key, at) => ({ type: "put" as const, key, bytes: bytesOf(1, at) }));
  await blocks.apply(puts);
  expect(await blocks.sizes(undefined, 2)).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  expect(await blocks.sizes("b", 2)).toEqual([["c", 0]]);
  expect(await blocks.sizes("c", 2)).toEqual([]);
  await blocks.close();
});

async function readVerified(store: IdbBlockStore, cid: CID): Promise<number> {
  const bytes = await collectBytes(store.get(cid));
  await verifyBlock(cid, bytes);
  return bytes.byteLength;
}

/** Removes a block's bytes and leaves its size. */
async function loseBytes(databaseName: string, cid: CID): Promise<void> {
  await changeBlocks(databaseName, (blocks) => blocks.delete(cid.toString()));
}

/** As many bytes, and others. */
async function harmBytes(databaseName: string, cid: CID): Promise<void> {
  await changeBlocks(databaseName, (blocks) => blocks.put(new Blob([bytesOf(99)]), cid.toString()));
}

async function changeBlocks(databaseName: string, change: (blocks: IDBObjectStore) => void): Promise<void> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open(databaseName);
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
  await new Promise<void>((resolve, reject) => {
    const transaction = database.transaction("blocks", "readwrite");
    change(transaction.objectStore("blocks"));
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  database.close();
}
