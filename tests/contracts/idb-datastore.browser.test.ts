/** What libp2p keeps between visits, in a real browser. */
import { Key } from "interface-datastore";
import { afterEach, expect, it, vi } from "vitest";
import { MAX_ENTRIES } from "../../src/browser/limits.ts";
import { openIdbDatastore } from "../../src/browser/network/idb-datastore.ts";
import { datastoreContract } from "./datastore.ts";

const lost = vi.fn();
const open = (databaseName: string = crypto.randomUUID()) => openIdbDatastore(lost, databaseName);

afterEach(() => {
  vi.restoreAllMocks();
  expect(lost).not.toHaveBeenCalled();
});

datastoreContract(async () => {
  const databaseName = crypto.randomUUID();
  return () => open(databaseName);
}, MAX_ENTRIES);

it("a page's datastore answers without the disk, and writes together what came meanwhile", async () => {
  const databaseName = crypto.randomUUID();
  const datastore = await open(databaseName);
  const transactions = vi.spyOn(IDBDatabase.prototype, "transaction");
  const keys = Array.from({ length: 40 }, (_, i) => new Key(`/peers/${i}`));
  for (const [i, key] of keys.entries()) {
    await datastore.put(key, Uint8Array.of(i));
    expect(await datastore.get(key)).toEqual(Uint8Array.of(i));
    expect(await datastore.has(key)).toBe(true);
  }
  await datastore.close();
  expect(transactions.mock.calls.length).toBeLessThanOrEqual(2);

  const after = await open(databaseName);
  for (const [i, key] of keys.entries()) expect(await after.get(key)).toEqual(Uint8Array.of(i));
  await after.close();
});

it("a page's datastore tells that entries could not be written, and still knows them", async () => {
  const datastore = await open();
  vi.spyOn(IDBDatabase.prototype, "transaction").mockImplementationOnce(() => {
    throw new DOMException("no room", "QuotaExceededError");
  });
  await datastore.put(new Key("/peers/a"), Uint8Array.of(1));
  await datastore.close();
  expect(lost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name: "storage_full" }));
  lost.mockClear();
  expect(await datastore.get(new Key("/peers/a"))).toEqual(Uint8Array.of(1));
});
