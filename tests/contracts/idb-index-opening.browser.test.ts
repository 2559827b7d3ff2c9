/** The database of indexes: where it could not be opened at first, and what of it survives power loss. */
import { deleteDB, openDB } from "idb";
import { expect, test, vi } from "vitest";
import { openIdbArchiveFolder } from "../../src/browser/index/idb-index-storage.ts";

test("a database that could not be opened is opened at the next call", async () => {
  const other = `opening-${crypto.randomUUID()}`;
  (await openDB(other, 2)).close();
  const open = vi.spyOn(IDBFactory.prototype, "open");
  open.mockImplementationOnce(() => indexedDB.open(other, 1));
  const path = `contract/${crypto.randomUUID()}`;
  await expect(openIdbArchiveFolder(path)).rejects.toMatchObject({ name: "VersionError" });
  open.mockRestore();
  expect(await (await openIdbArchiveFolder(path)).list()).toEqual([]);
  await deleteDB(other);
});

test("all bytes of a file are durable when it is committed", async () => {
  const folder = await openIdbArchiveFolder(`contract/${crypto.randomUUID()}`);
  const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
  const file = await folder.create("snapshot");
  for (let piece = 0; piece < 3; piece++) await file.write(new Uint8Array(700_000));
  await file.commit();
  const writing = transactions.mock.calls.filter(
    ([stores, mode]) => mode === "readwrite" && [...stores].includes("pieces"),
  );
  expect(writing.length).toBeGreaterThan(1);
  expect(writing.map(([, , options]) => options?.durability)).toEqual(writing.map(() => "strict"));
  transactions.mockRestore();
  await folder.delete("snapshot");
});
