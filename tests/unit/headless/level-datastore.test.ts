/** What libp2p keeps between runs. */
import { Key } from "interface-datastore";
import { describe, expect, it } from "vitest";
import { openLevelDatastore } from "../../../src/headless/level-datastore.ts";
import { temporaryFolder } from "./temporary-folder.ts";

describe("LevelDatastore", () => {
  it("holds after a restart what it held before, and lists by prefix", async () => {
    const folder = await temporaryFolder();
    const before = await openLevelDatastore(folder);
    for (const name of ["/peers/a", "/peers/b", "/peersons/c", "/other"]) {
      await before.put(new Key(name), new TextEncoder().encode(name));
    }
    await before.delete(new Key("/peers/b"));
    await before.close();

    const after = await openLevelDatastore(folder);
    expect(new TextDecoder().decode(await after.get(new Key("/other")))).toBe("/other");
    expect(await after.has(new Key("/peers/b"))).toBe(false);
    await expect(after.get(new Key("/peers/b"))).rejects.toMatchObject({ name: "NotFoundError" });
    const listed: string[] = [];
    for await (const { key } of after.query({ prefix: "/peers" })) listed.push(key.toString());
    for await (const key of after.queryKeys({ prefix: "/oth" })) listed.push(key.toString());
    expect(listed).toEqual(["/peers/a", "/peersons/c", "/other"]);
    await after.close();
  });
});
