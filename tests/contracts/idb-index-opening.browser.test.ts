/** The database of indexes where it could not be opened at first. */
import { deleteDB, openDB } from "idb";
import { expect, test, vi } from "vitest";
import { openIdbArchiveFolder } from "../../src/browser/idb-index-storage.ts";

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
