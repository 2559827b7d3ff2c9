/** The contract of what libp2p keeps between runs, run on every implementation. */
import { Key } from "interface-datastore";
import { expect, it } from "vitest";
import type { KeptDatastore } from "../../src/network/libp2p/kept-datastore.ts";
import { MAX_UNWRITTEN_ENTRIES } from "../../src/network/libp2p/limits.ts";

const bytesOf = (name: string) => new TextEncoder().encode(name);

/** `newPlace`: gives what opens the same datastore again and again. */
export function datastoreContract(
  newPlace: () => Promise<() => Promise<KeptDatastore>>,
  maxEntries: number,
): void {
  it("a datastore holds when it is opened again what it held before, and lists by prefix", async () => {
    const open = await newPlace();
    const before = await open();
    for (const name of ["/peers/a", "/peers/b", "/peersons/c", "/other"]) {
      await before.put(new Key(name), bytesOf(name));
    }
    await before.delete(new Key("/peers/b"));
    await before.delete(new Key("/peers/never"));
    await before.close();

    const after = await open();
    expect(await after.get(new Key("/other"))).toEqual(bytesOf("/other"));
    expect(await after.has(new Key("/peers/b"))).toBe(false);
    await expect(after.get(new Key("/peers/b"))).rejects.toMatchObject({ name: "NotFoundError" });
    const listed: string[] = [];
    for await (const { key } of after.query({ prefix: "/peers" })) listed.push(key.toString());
    for await (const key of after.queryKeys({ prefix: "/oth" })) listed.push(key.toString());
    expect(listed.sort()).toEqual(["/other", "/peers/a", "/peersons/c"]);
    await after.close();
  });

  it("a datastore that is full forgets what was not used for longest, for good, but nothing of its own node", async () => {
    const open = await newPlace();
    const before = await open();
    const keyOf = (i: number) => new Key(`/peers/${String(i).padStart(5, "0")}`);
    const own = ["/pkcs8/key", "/info/key", "/libp2p/certificate"].map((name) => new Key(name));
    for (const key of own) await before.put(key, bytesOf("own"));
    for (let i = 0; i < maxEntries; i++) await before.put(keyOf(i), bytesOf(String(i)));
    await before.get(keyOf(0));
    await before.put(keyOf(maxEntries), bytesOf("last"));
    await before.close();

    const after = await open();
    const isThere = await Promise.all([0, 1, 2, maxEntries].map((i) => after.has(keyOf(i))));
    expect(isThere).toEqual([true, false, true, true]);
    for (const key of own) expect(await after.get(key)).toEqual(bytesOf("own"));
    const listed: string[] = [];
    for await (const key of after.queryKeys({})) listed.push(key.toString());
    expect(listed).toHaveLength(maxEntries + own.length);
    await after.close();
  });

  it("a datastore that is closed has written all that was put, also what waited for earlier writes", async () => {
    const open = await newPlace();
    const before = await open();
    const keys = Array.from({ length: 2 * MAX_UNWRITTEN_ENTRIES }, (_, i) => new Key(`/libp2p/${i}`));
    const puts = keys.map((key) => before.put(key, bytesOf("own")));
    // All of them have begun, and more wait than one write takes.
    await puts[0];
    await before.close();
    await Promise.all(puts);

    const after = await open();
    const isThere = await Promise.all(keys.map((key) => after.has(key)));
    expect(isThere).not.toContain(false);
    await after.close();
  });
}
