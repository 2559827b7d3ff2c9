/** What libp2p keeps between visits, in a real browser. */
import { Key } from "interface-datastore";
import { afterEach, expect, it, vi } from "vitest";
import { openIdbDatastore } from "../../src/browser/idb-datastore.ts";
import { MAX_ENTRIES } from "../../src/browser/limits.ts";

const lost = vi.fn();
const open = (databaseName: string = crypto.randomUUID()) => openIdbDatastore(lost, databaseName);

afterEach(() => {
  vi.restoreAllMocks();
  expect(lost).not.toHaveBeenCalled();
});

it("an IdbDatastore holds when it is opened again what it held before, and lists by prefix", async () => {
  const databaseName = crypto.randomUUID();
  const before = await open(databaseName);
  for (const name of ["/peers/a", "/peers/b", "/peersons/c", "/other"]) {
    await before.put(new Key(name), new TextEncoder().encode(name));
  }
  await before.delete(new Key("/peers/b"));
  await before.close();

  const after = await open(databaseName);
  expect(new TextDecoder().decode(await after.get(new Key("/other")))).toBe("/other");
  expect(await after.has(new Key("/peers/b"))).toBe(false);
  await expect(after.get(new Key("/peers/b"))).rejects.toMatchObject({ name: "NotFoundError" });
  const listed: string[] = [];
  for await (const { key } of after.query({ prefix: "/peers" })) listed.push(key.toString());
  for await (const key of after.queryKeys({ prefix: "/oth" })) listed.push(key.toString());
  expect(listed.sort()).toEqual(["/other", "/peers/a", "/peersons/c"]);
  await after.close();
});

it("an IdbDatastore lists more entries than it reads at once, also when it is opened again", async () => {
  const databaseName = crypto.randomUUID();
  const names = Array.from({ length: 600 }, (_, i) => `/many/${String(i).padStart(3, "0")}`);
  const before = await open(databaseName);
  await Promise.all(names.map((name) => before.put(new Key(name), Uint8Array.of(1))));
  await before.close();
  const after = await open(databaseName);
  const listed: string[] = [];
  for await (const key of after.queryKeys({ prefix: "/many" })) listed.push(key.toString());
  expect(listed.sort()).toEqual(names);
  await after.close();
});

it("an IdbDatastore answers without the disk, and writes together what came meanwhile", async () => {
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

it("an IdbDatastore that is full forgets what was not used for longest, for good", async () => {
  const databaseName = crypto.randomUUID();
  const before = await open(databaseName);
  const keyOf = (i: number) => new Key(`/peers/${i}`);
  for (let i = 0; i < MAX_ENTRIES; i++) await before.put(keyOf(i), Uint8Array.of(1));
  await before.get(keyOf(0));
  await before.put(keyOf(MAX_ENTRIES), Uint8Array.of(1));
  await before.close();
  const after = await open(databaseName);
  const isThere = await Promise.all([0, 1, 2, MAX_ENTRIES].map((i) => after.has(keyOf(i))));
  expect(isThere).toEqual([true, false, true, true]);
  await after.close();
});

it("an IdbDatastore tells that entries could not be written, and still knows them", async () => {
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
