/**
 * What every Records promises, run against each implementation by a file beside this one and, with the same
 * code, in a browser: so nothing here is from Node.js. The factory gives records that hold nothing.
 */
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RecordCollection, Records } from "../../src/sharing/ports.ts";

export function recordsContract(openEmpty: () => Promise<Records>): void {
  describe("records", () => {
    let records: Records;
    beforeEach(async () => {
      records = await openEmpty();
    });
    afterEach(() => records.close());

    it("give back any JSON document", async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
          await records.put("settings", "any", value);
          expect(await records.get("settings", "any")).toEqual(JSON.parse(JSON.stringify(value)));
        }),
        { numRuns: 50 },
      );
    });

    it("give undefined for a key that was never put", async () => {
      expect(await records.get("files", "nowhere")).toBeUndefined();
    });

    it("keep a copy, not the object that was put", async () => {
      const value = { tags: ["a"] };
      await records.put("files", "one", value);
      value.tags.push("b");
      expect(await records.get("files", "one")).toEqual({ tags: ["a"] });
    });

    it("replace a document, and delete one, and bear deleting an absent one", async () => {
      await records.put("files", "one", 1);
      await records.put("files", "one", 2);
      expect(await records.get("files", "one")).toBe(2);
      await records.delete("files", "one");
      await records.delete("files", "one");
      expect(await records.get("files", "one")).toBeUndefined();
    });

    it("keep collections apart", async () => {
      await records.put("files", "one", "file");
      await records.put("transfers", "one", "transfer");
      await records.delete("files", "one");
      expect(await listed(records, "files")).toEqual([]);
      expect(await listed(records, "transfers")).toEqual([["one", "transfer"]]);
    });

    it("list a collection ordered by key, whatever the order of the puts", async () => {
      for (const key of ["b", "a", "", "aa", "C", "a/b", "a.b"]) await records.put("bans", key, key);
      const keys = (await listed(records, "bans")).map(([key]) => key);
      expect(keys).toEqual(["", "C", "a", "a.b", "a/b", "aa", "b"]);
    });

    it("take keys with any character, separators among them", async () => {
      const keys = ["a\0b", "files\0a", "é", "日本", "😀", "'; --", "__proto__", " "];
      for (const key of keys) await records.put("webhooks", key, { key });
      for (const key of keys) expect(await records.get("webhooks", key)).toEqual({ key });
      expect(await listed(records, "webhooks")).toHaveLength(keys.length);
    });

    it("apply a batch in order, across collections", async () => {
      await records.put("files", "old", 0);
      await records.batch([
        { type: "put", collection: "files", key: "new", value: 1 },
        { type: "delete", collection: "files", key: "old" },
        { type: "put", collection: "transfers", key: "t", value: 2 },
        { type: "put", collection: "transfers", key: "t", value: 3 },
      ]);
      expect(await listed(records, "files")).toEqual([["new", 1]]);
      expect(await records.get("transfers", "t")).toBe(3);
    });

    it("apply nothing of a batch that holds a value which is no JSON document", async () => {
      const change = records.batch([
        { type: "put", collection: "files", key: "good", value: 1 },
        { type: "put", collection: "files", key: "bad", value: undefined },
      ]);
      await expect(change).rejects.toMatchObject({ name: "bad_request" });
      expect(await listed(records, "files")).toEqual([]);
    });

    it("take an empty batch", async () => {
      await records.batch([]);
      expect(await listed(records, "files")).toEqual([]);
    });

    it("can be changed while they are listed", async () => {
      for (let i = 0; i < 20; i++) await records.put("files", `key-${i}`, i);
      for await (const [key] of records.entries("files")) await records.delete("files", key);
      expect(await listed(records, "files")).toEqual([]);
    });

    it("keep the last of concurrent puts to one key that were made in order", async () => {
      await Promise.all(Array.from({ length: 30 }, (_, i) => records.put("settings", "n", i)));
      expect(await records.get("settings", "n")).toBe(29);
    });

    it("refuse everything once closed", async () => {
      await records.close();
      await expect(records.put("files", "one", 1)).rejects.toMatchObject({ name: "stopped" });
      await expect(records.get("files", "one")).rejects.toMatchObject({ name: "stopped" });
    });
  });
}

async function listed(records: Records, collection: RecordCollection): Promise<[string, unknown][]> {
  const entries: [string, unknown][] = [];
  for await (const entry of records.entries(collection)) entries.push(entry);
  return entries;
}
