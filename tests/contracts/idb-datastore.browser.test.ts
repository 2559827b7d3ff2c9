/** What libp2p keeps between visits, in a real browser. */
import { Key } from "interface-datastore";
import { expect, it } from "vitest";
import { openIdbDatastore } from "../../src/browser/idb-datastore.ts";

it("an IdbDatastore holds when it is opened again what it held before, and lists by prefix", async () => {
  const databaseName = crypto.randomUUID();
  const before = await openIdbDatastore(databaseName);
  for (const name of ["/peers/a", "/peers/b", "/peersons/c", "/other"]) {
    await before.put(new Key(name), new TextEncoder().encode(name));
  }
  await before.delete(new Key("/peers/b"));
  await before.close();

  const after = await openIdbDatastore(databaseName);
  expect(new TextDecoder().decode(await after.get(new Key("/other")))).toBe("/other");
  expect(await after.has(new Key("/peers/b"))).toBe(false);
  await expect(after.get(new Key("/peers/b"))).rejects.toMatchObject({ name: "NotFoundError" });
  const listed: string[] = [];
  for await (const { key } of after.query({ prefix: "/peers" })) listed.push(key.toString());
  for await (const key of after.queryKeys({ prefix: "/oth" })) listed.push(key.toString());
  expect(listed).toEqual(["/peers/a", "/peersons/c", "/other"]);
  await after.close();
});

it("an IdbDatastore lists more entries than it reads at once", async () => {
  const datastore = await openIdbDatastore(crypto.randomUUID());
  const names = Array.from({ length: 600 }, (_, i) => `/many/${String(i).padStart(3, "0")}`);
  await Promise.all(names.map((name) => datastore.put(new Key(name), Uint8Array.of(1))));
  const listed: string[] = [];
  for await (const key of datastore.queryKeys({ prefix: "/many" })) listed.push(key.toString());
  expect(listed).toEqual(names);
  await datastore.close();
});
