/** What stores of a page promise beyond their contracts when a thread ends, the quota is used up, or data is lost. */
import type { CID } from "multiformats/cid";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { cdp } from "vitest/browser";
import { type IdbBlockStore, openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { IdbBlocks } from "../../src/browser/blocks/idb-blocks.ts";
import { type StorageWorker, startStorageWorker } from "../../src/browser/blocks/storage-worker.ts";
import { openOpfsFiles } from "../../src/browser/files/opfs-files.ts";
import { pageVxHost, VxThread } from "../../src/browser/index/open-vx.ts";
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { servingWorker } from "../../src/browser/serving-worker.ts";
import { askForPersistence, storageFreeBytes } from "../../src/browser/storage-persistence.ts";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { SharingError, type SharingErrorName } from "../../src/sharing/errors.ts";
import { blockCid, RAW, verifyBlock } from "../../src/sharing/hash.ts";
import { BELIEVED_MS } from "../../src/sharing/limits.ts";
import type { EngineSettings } from "../../src/vx/config.ts";
import { RemoteEngine } from "../../src/vx/engine/remote-engine.ts";
import { Vx, type VxHost } from "../../src/vx/vx.ts";
import { allRejected } from "../all-rejected.ts";
import { StorageWorker as IndexWorker } from "../browser/vx-remote-storage.ts";
import { addBlock } from "./add-block.ts";

const ROOMY = 2 ** 40;
const MIB = 2 ** 20;
const never = new AbortController().signal;
const bytesOf = (seed: number, sizeBytes = 1000) => new Uint8Array(sizeBytes).fill(seed);

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

      const reopened = await openStore(await start(), databaseName);
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
    const store = await openStore(await start(), databaseName);
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
    const before = await openStore(await start(), databaseName);
    const cids = await Promise.all([1, 2, 3].map((seed) => addBlock(before, bytesOf(seed), RAW)));
    const [kept, posted, sent] = cids as [CID, CID, CID];
    for (const cid of [posted, sent]) await harmBytes(databaseName, cid);
    await before.close();

    const store = await openStore(await start(), databaseName);
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
    const { work } = await start();
    const databaseName = crypto.randomUUID();
    const putAnew = signalled();
    const readOnce = signalled();
    /** The worker's blocks, whose first answer to a read comes after the new put. */
    const slow = new Proxy(await work.blocks, {
      get: (blocks, name) => {
        if (name !== "read") return Reflect.get(blocks, name);
        return async (key: string) => {
          const bytes = await blocks.read(key);
          readOnce.give();
          await putAnew.given;
          return bytes;
        };
      },
    });
    const store = await openIdbBlockStore({ work: slow, databaseName, maxBytes: ROOMY });
    const cid = await addBlock(store, bytesOf(1), RAW);
    await loseBytes(databaseName, cid);

    const reading = readVerified(store, cid);
    await readOnce.given;
    await store.delete(cid);
    await store.putVerified(cid, bytesOf(1));
    putAnew.give();
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
    const store = await openStore(await start(), crypto.randomUUID());
    const records = await openIdbRecords(crypto.randomUUID());
    const cid = await addBlock(store, bytesOf(1), RAW);
    await records.put("files", "one", 1);
    await clearDatabases();

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
    await clearDatabases();
    await limitQuota(1);
    const store = await openStore(await start(), crypto.randomUUID());
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
    const store = await openStore(await start(), crypto.randomUUID());
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

describe("the files of a page", () => {
  it("show nothing of an output whose thread was ended, and make room for it at the next start", async () => {
    const root = await freshFolder();
    const worker = await startStorageWorker();
    const files = await openOpfsFiles({ work: worker.work.outputs, root });
    const output = await files.openOutput("folder/movie", { overwrite: false });
    await output.write(0, bytesOf(1));
    worker.stop();

    const next = await openOpfsFiles({ work: (await start()).work.outputs, root });
    await expect(next.openSource("folder/movie")).rejects.toMatchObject({ name: "file_missing" });
    expect(await pathsIn(root)).toEqual([]);
    const again = await next.openOutput("folder/movie", { overwrite: false });
    await again.write(0, bytesOf(2));
    await again.commit(1000);
    expect(await pathsIn(root)).toEqual(["folder/", "folder/movie"]);
  });

  it("are opened, and written, while a former tab that stands still has some of them open", async () => {
    const root = await freshFolder();
    const former = await openOpfsFiles({ work: (await start()).work.outputs, root });
    const held = await former.openOutput("held.bin", { overwrite: false });
    const next = await openOpfsFiles({ work: (await start()).work.outputs, root });
    const output = await next.openOutput("next.bin", { overwrite: false });
    await output.write(0, bytesOf(1));
    await output.commit(1000);
    await held.discard();
  });

  it("go on after the person cleared the site's data", async () => {
    const files = await openOpfsFiles({ work: (await start()).work.outputs });
    const cut = await files.openOutput("cut.bin", { overwrite: false });
    await clearData("file_systems");
    await cut.discard();
    const output = await files.openOutput("next.bin", { overwrite: false });
    await output.write(0, bytesOf(1));
    await output.commit(1000);
    expect(await files.openSource("next.bin")).toMatchObject({ sizeBytes: 1000 });
  });

  it("answer a used-up quota with storage_full, and leave nothing of what is discarded", async () => {
    const root = await freshFolder();
    const files = await openOpfsFiles({ work: (await start()).work.outputs, root });
    const output = await files.openOutput("large", { overwrite: false });
    await limitQuota(1);
    await expect(output.write(0, bytesOf(1, 4 * MIB))).rejects.toMatchObject({ name: "storage_full" });
    await output.discard();
    expect(await pathsIn(root)).toEqual([]);
  });

  it.each([
    [".shoal/index/snapshot", "path_forbidden"],
    ["/.hidden", "path_forbidden"],
    ["a/.b/c", "path_forbidden"],
    ["trailing.", "path_forbidden"],
    ["a\\b", "path_forbidden"],
    ["folder/", "path_forbidden"],
    ["/", "path_forbidden"],
    ["a/".repeat(3000), "bad_request"],
    ["tab\there", "bad_request"],
    ["file/below", "bad_request"],
    ["folder", "bad_request"],
  ])("refuse %j as %s both ways", async (path, name) => {
    const root = await freshFolder();
    const files = await openOpfsFiles({ work: (await start()).work.outputs, root });
    await root.getFileHandle("file", { create: true });
    await root.getDirectoryHandle("folder", { create: true });
    await expect(files.openOutput(path, { overwrite: true })).rejects.toMatchObject({ name });
    await expect(files.openSource(path)).rejects.toMatchObject({ name });
    expect(await pathsIn(root)).toEqual(["file", "folder/"]);
  });
});

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
  const { work } = await start();
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

it("an index in the origin private file system answers a used-up quota with storage_full", async () => {
  const worker = new IndexWorker();
  onTestFinished(() => worker.end());
  const storage = await worker.open("opfs", `failures/${crypto.randomUUID()}`);
  const journal = await storage.startAppending("journal");
  const snapshot = await storage.create("snapshot");
  await limitQuota(1);
  await expect(journal.append(bytesOf(1, 4 * MIB))).rejects.toMatchObject({ code: "storage_full" });
  await expect(snapshot.write(bytesOf(1, 4 * MIB))).rejects.toMatchObject({ code: "storage_full" });
  await snapshot.discard();
  await journal.close();
  await storage.close();
});

it("an index in IndexedDB answers a used-up quota with storage_full", async () => {
  const worker = new IndexWorker();
  onTestFinished(() => worker.end());
  await clearDatabases();
  await limitQuota(MIB);
  const storage = await worker.open("idb", `failures/${crypto.randomUUID()}`);
  const journal = await storage.startAppending("journal");
  const snapshot = await storage.create("snapshot");
  await expect(journal.append(random(4 * MIB, 1))).rejects.toMatchObject({ code: "storage_full" });
  await expect(snapshot.write(random(4 * MIB, 2))).rejects.toMatchObject({ code: "storage_full" });
  await snapshot.discard();
  await journal.close();
  await storage.close();
});

describe("an index whose site's data the person cleared is opened again, as it is stored", () => {
  it("in IndexedDB", async () => {
    const startEngine = (settings: EngineSettings) => {
      const worker = new Worker(new URL("../browser/vx-idb.worker.ts", import.meta.url), { type: "module" });
      return RemoteEngine.open(servingWorker(worker), settings);
    };
    await expectOpenedAgain({ startEngine }, "indexeddb");
  });

  it("in the origin private file system", async () => {
    await expectOpenedAgain(pageVxHost(), "file_systems");
  });

  async function expectOpenedAgain(host: VxHost, storageTypes: string): Promise<void> {
    const config = { dimension: 2, storagePath: `failures/${crypto.randomUUID()}` };
    const vx = new Vx(config, host, { reopen: true });
    onTestFinished(() => vx.close());
    await vx.add(1, [1, 0]);
    await clearData(storageTypes);
    const addAgain = async () => {
      await vx.add(2, [0, 1]);
      return await vx.collectMetrics();
    };
    await expect.poll(() => addAgain().catch(() => undefined)).toMatchObject({ vector_count: 1 });
  }
});

it("the worker of an index that was let go of is kept no longer, however often another leads", async () => {
  const workers: WeakRef<Worker>[] = [];
  const Seen = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push(new WeakRef(this));
    }
  };
  vi.stubGlobal("Worker", Seen);
  onTestFinished(() => void vi.unstubAllGlobals());
  for (let led = 0; led < 2; led++) {
    const thread = new VxThread();
    const config = { dimension: 2, storagePath: `failures/${crypto.randomUUID()}` };
    await new Vx(config, pageVxHost(thread)).ready();
    thread.end();
  }
  expect(workers).toHaveLength(2);
  const countKept = async () => {
    await browser("HeapProfiler.collectGarbage", {});
    return workers.filter((worker) => worker.deref() !== undefined).length;
  };
  await expect.poll(countKept, { timeout: 30_000 }).toBe(0);
});

it("the page knows how much more it may store, and whether that can be taken from it", async () => {
  const { quota } = await navigator.storage.estimate();
  const freeBytes = await storageFreeBytes();
  expect(freeBytes).toBeGreaterThan(0);
  expect(freeBytes).toBeLessThanOrEqual(quota as number);
  expect(await askForPersistence()).toBe(await navigator.storage.persisted());
});

async function start(): Promise<StorageWorker> {
  const worker = await startStorageWorker();
  onTestFinished(() => worker.stop());
  return worker;
}

function openStore({ work }: StorageWorker, databaseName: string): Promise<IdbBlockStore> {
  return openIdbBlockStore({ work: work.blocks, databaseName, maxBytes: ROOMY });
}

async function readVerified(store: IdbBlockStore, cid: CID): Promise<number> {
  const bytes = await collectBytes(store.get(cid));
  await verifyBlock(cid, bytes);
  return bytes.byteLength;
}

/** Settles once it is told to. */
function signalled(): { given: Promise<void>; give: () => void } {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

/** Bytes that no store can pack, told apart by the seed. */
function random(sizeBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  new DataView(bytes.buffer).setUint32(0, seed);
  return bytes;
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

/** As a person does who clears the site's data, while it is open. */
async function clearDatabases(): Promise<void> {
  await clearData("indexeddb");
}

async function clearData(storageTypes: string): Promise<void> {
  await browser("Storage.clearDataForOrigin", { origin: location.origin, storageTypes });
}

async function limitQuota(quotaSize: number | undefined): Promise<void> {
  const { origin } = location;
  onTestFinished(() => browser("Storage.overrideQuotaForOrigin", { origin }));
  await browser(
    "Storage.overrideQuotaForOrigin",
    quotaSize === undefined ? { origin } : { origin, quotaSize },
  );
}

/** A command of the browser's debugging protocol. */
async function browser(method: string, params: object): Promise<void> {
  const session = cdp() as unknown as { send(method: string, params: object): Promise<unknown> };
  await session.send(method, params);
}

async function freshFolder(): Promise<FileSystemDirectoryHandle> {
  const origin = await navigator.storage.getDirectory();
  return await origin.getDirectoryHandle(crypto.randomUUID(), { create: true });
}

/** All that stands in a folder but what is the node's own, folders with a slash. */
async function pathsIn(folder: FileSystemDirectoryHandle, before = ""): Promise<string[]> {
  const paths: string[] = [];
  for await (const [name, entry] of folder.entries()) {
    if (entry.kind === "file") paths.push(before + name);
    else {
      if (name !== ".shoal") paths.push(`${before}${name}/`);
      paths.push(...(await pathsIn(entry as FileSystemDirectoryHandle, `${before}${name}/`)));
    }
  }
  return paths.filter((path) => path !== ".shoal/unfinished/").sort();
}
