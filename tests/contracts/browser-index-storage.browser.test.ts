/** The index storages of the browser under the contract of index storages, in a worker. */
import { afterAll, describe, expect, test } from "vitest";
import type { IndexMedium } from "../../src/browser/index-disk.ts";
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
