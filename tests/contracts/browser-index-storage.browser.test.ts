/** The index storages of the browser under the contract of index storages, in a worker. */
import { openDB } from "idb";
import { afterAll, describe, expect, test, vi } from "vitest";
import { openIdbArchiveFolder, openIdbIndexStorage } from "../../src/browser/index/idb-index-storage.ts";
import type { IndexMedium } from "../../src/browser/index/index-disk.ts";
import { MAX_PIECE_BYTES } from "../../src/browser/limits.ts";
import { StorageWorker } from "../browser/vx-remote-storage.ts";
import { indexStorageContract } from "./index-storage.ts";

const media: IndexMedium[] = ["opfs", "idb"];

describe.each(media)("in %s", (medium) => {
  const worker = new StorageWorker();
  afterAll(() => worker.end());

  indexStorageContract(async () => {
    const path = `contract/${crypto.randomUUID()}/index`;
    return () => worker.open(medium, path);
  });

  test("another thread is refused while one has the index open, and let in when that has ended", async () => {
    const path = `contract/${crypto.randomUUID()}`;
    const first = new StorageWorker();
    const storage = await first.open(medium, path);
    const growing = await storage.startAppending("growing");
    await growing.append(Uint8Array.of(1, 2, 3));
    await growing.sync();
    await expect(worker.open(medium, path)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("another tab has it open"),
    });
    first.end();
    const taken = await worker.open(medium, path);
    const bytes = new Uint8Array(3);
    const file = await taken.open("growing");
    await file?.read(0, bytes);
    await file?.close();
    expect(bytes).toEqual(Uint8Array.of(1, 2, 3));
    await taken.close();
  });
});

test("in opfs, a file that is deleted while it is read is read to its end, and gone then", async () => {
  const worker = new StorageWorker();
  const path = `contract/${crypto.randomUUID()}`;
  const storage = await worker.open("opfs", path);
  const written = await storage.create("file");
  await written.write(Uint8Array.of(7));
  await written.commit();
  const file = await storage.open("file");
  await storage.delete("file");
  expect(await storage.list()).toEqual([]);
  const bytes = new Uint8Array(1);
  await file?.read(0, bytes);
  expect(bytes).toEqual(Uint8Array.of(7));
  await file?.close();
  await storage.delete("file");
  expect(await storage.open("file")).toBeUndefined();
  await storage.close();
  worker.end();
});

test("in idb, small writes go together, and large ones between them stay in order", async () => {
  const storage = await openIdbIndexStorage(`contract/${crypto.randomUUID()}`);
  const sizes = [...Array.from({ length: 100 }, () => 10), MAX_PIECE_BYTES - 1, 1, 3 * MAX_PIECE_BYTES, 7];
  const written = sizes.map((sizeBytes, i) => new Uint8Array(sizeBytes).fill(i));
  const file = await storage.create("file");
  const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
  for (const bytes of written) await file.write(bytes);
  expect(transactions).toHaveBeenCalledTimes(2);
  transactions.mockRestore();
  await file.commit();
  const whole = new Uint8Array(await new Blob(written).arrayBuffer());
  const stored = await storage.open("file");
  const bytes = new Uint8Array(whole.byteLength);
  await stored?.read(0, bytes);
  expect(stored?.sizeBytes).toBe(whole.byteLength);
  expect(bytes.every((byte, i) => byte === whole[i])).toBe(true);
  await storage.close();
});

test("in idb, files that are deleted together go at once, all or none", async () => {
  const storage = await openIdbIndexStorage(`contract/${crypto.randomUUID()}`);
  const names = ["a", "b", "c"];
  for (const name of names) await (await storage.create(name)).commit();
  const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
  await storage.delete(...names);
  expect(transactions).toHaveBeenCalledOnce();
  transactions.mockRestore();
  expect(await storage.list()).toEqual([]);
  await storage.close();
});

test("in idb, no bytes stay of a file whose place another took, or that is deleted", async () => {
  const storage = await openIdbIndexStorage(`contract/${crypto.randomUUID()}`);
  const db = await openDB("shoal-index", 1);
  const others = await db.count("pieces");
  for (const sizeBytes of [3, 2]) {
    const file = await storage.create("snapshot");
    await file.write(new Uint8Array(sizeBytes));
    await file.commit();
  }
  expect(await db.count("pieces")).toBe(others + 1);
  await storage.delete("snapshot");
  expect(await db.count("pieces")).toBe(others);
  db.close();
  await storage.close();
});

test("in idb, a backup that is being written stays when what others left is removed", async () => {
  const path = `contract/${crypto.randomUUID()}`;
  const folder = await openIdbArchiveFolder(path);
  const backup = await folder.create("backup.zip");
  const bytes = new Uint8Array(MAX_PIECE_BYTES).fill(7);
  await backup.write(bytes);
  await (await openIdbArchiveFolder(path)).removePartials();
  await backup.commit();
  const stored = new Uint8Array(MAX_PIECE_BYTES);
  await (await folder.open("backup.zip"))?.read(0, stored);
  expect(stored).toEqual(bytes);
});

test("in idb, files lie as version 1 laid them out", async () => {
  const folder = `contract/${crypto.randomUUID()}`;
  const worker = new StorageWorker();
  await (await worker.open("idb", folder)).close();
  const db = await openDB("shoal-index", 1);
  const facts = { folder, sizeBytes: 5, writtenAt: new Date() };
  const key = await db.add("files", { ...facts, place: [folder, "journal-000000000001"] });
  const partial = await db.add("files", facts);
  for (const file of [key, partial]) {
    await db.add("pieces", Uint8Array.of(1, 2), [file, 0]);
    await db.add("pieces", Uint8Array.of(3, 4, 5), [file, 2]);
  }
  const storage = await worker.open("idb", folder);
  expect(await storage.list()).toEqual(["journal-000000000001"]);
  const file = await storage.open("journal-000000000001");
  const bytes = new Uint8Array(3);
  await file?.read(1, bytes);
  expect(bytes).toEqual(Uint8Array.of(2, 3, 4));
  expect(await db.get("pieces", [partial, 0])).toBeUndefined();
  await storage.close();
  db.close();
  worker.end();
});
