/**
 * What every BlockStore promises, run against each implementation by a file beside this one and, with the same
 * code, in a browser: so nothing here is from Node.js. The factory gives an empty store.
 */
import fc from "fast-check";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { blockCid, DAG_PB, RAW } from "../../src/sharing/hash.ts";
import type { BlockStore } from "../../src/sharing/ports.ts";
import { addBlock } from "./add-block.ts";

/** An empty store that holds at most `maxBytes`. */
export type OpenEmptyBlockStore = (options: { maxBytes: number }) => Promise<BlockStore>;

const QUOTA_BYTES = 64 * 1024;

export function blockStoreContract(openEmpty: OpenEmptyBlockStore): void {
  describe("a block store", () => {
    let store: BlockStore;
    beforeEach(async () => {
      store = await openEmpty({ maxBytes: QUOTA_BYTES });
    });
    afterEach(() => store.close());

    it("gives back any bytes under the CID that names them", async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
          const cid = await addBlock(store, bytes.slice(), RAW);
          expect(cid).toEqual(await blockCid(bytes, RAW));
          expect(await read(store, cid)).toEqual(bytes);
          await store.delete(cid);
        }),
        { numRuns: 30 },
      );
    });

    it("holds as much as it is told, and keeps what it has when it is told less", async () => {
      const bytes = new Uint8Array(QUOTA_BYTES).fill(1);
      const held = await addBlock(store, bytes.slice(), RAW);
      store.maxBytes = QUOTA_BYTES / 2;
      expect(await store.availableBytes()).toBe(0);
      await expect(addBlock(store, text("more"), RAW)).rejects.toMatchObject({ name: "storage_full" });
      expect(await read(store, held)).toEqual(bytes);
      store.maxBytes = 2 * QUOTA_BYTES;
      expect(await store.availableBytes()).toBe(QUOTA_BYTES);
      await addBlock(store, text("more"), RAW);
    });

    it("throws NotFoundError for a block that it lacks", async () => {
      const cid = await blockCid(text("nowhere"), RAW);
      expect(await store.has(cid)).toBe(false);
      await expect(read(store, cid)).rejects.toMatchObject({ name: "NotFoundError" });
    });

    it("stores bytes that match their CID and no others", async () => {
      const cid = await blockCid(text("right"), RAW);
      await expect(store.putVerified(cid, text("wrong"))).rejects.toMatchObject({ name: "hash_mismatch" });
      expect(await store.has(cid)).toBe(false);
      expect(store.usedBytes).toBe(0);
      await store.putVerified(cid, text("right"));
      expect(await read(store, cid)).toEqual(text("right"));
    });

    it("refuses bytes that do not match the CID of a block that it has, and keeps that", async () => {
      const cid = await addBlock(store, text("right"), RAW);
      await expect(store.putVerified(cid, text("wrong"))).rejects.toMatchObject({ name: "hash_mismatch" });
      expect(await read(store, cid)).toEqual(text("right"));
    });

    it.each(["write", "putVerified"] as const)(
      "has what it is given by %s in place of what it has under that name and came to harm",
      async (how) => {
        const right = text("right");
        const cid = await blockCid(right, RAW);
        await store.write(cid, text("harmed"));
        await store[how](cid, right);
        expect(await read(store, cid)).toEqual(right);
        expect([store.usedBytes, await listed(store)]).toEqual([right.length, [cid.toString()]]);
      },
    );

    it("gives no bytes of a doubted block that came to harm, and has it no longer", async () => {
      const cid = await blockCid(text("right"), RAW);
      const { signal } = new AbortController();
      await store.write(cid, text("harmed"));
      store.doubt(cid);
      await expect(store.read(cid, undefined, signal)).rejects.toMatchObject({ name: "NotFoundError" });
      expect([await store.has(cid), store.usedBytes]).toEqual([false, 0]);
      store.doubt(cid);
      await store.write(cid, text("right"));
      store.doubt(cid);
      expect(new Uint8Array(await store.read(cid, undefined, signal))).toEqual(text("right"));
    });

    it("refuses a CID whose hash is not sha2-256, an identity CID among them", async () => {
      const identity = CID.createV1(RAW, Digest.create(0x00, text("inline")));
      await expect(store.putVerified(identity, text("inline"))).rejects.toMatchObject({
        name: "hash_mismatch",
      });
    });

    it("counts a block once however often it is put, also at the same time", async () => {
      const bytes = text("twice");
      const [first, second] = await Promise.all([
        addBlock(store, bytes.slice(), RAW),
        addBlock(store, bytes.slice(), RAW),
      ]);
      await store.putVerified(first, bytes.slice());
      expect(second).toEqual(first);
      expect(store.usedBytes).toBe(bytes.byteLength);
      expect(await listed(store)).toEqual([first.toString()]);
    });

    it("writes what the caller has hashed, and flushes as often as asked", async () => {
      const blocks = await Promise.all(
        ["a", "b", "c"].map(async (name) => ({ cid: await blockCid(text(name), RAW), bytes: text(name) })),
      );
      await Promise.all(blocks.map(({ cid, bytes }) => store.write(cid, bytes)));
      await Promise.all([store.flush(), store.flush(), store.flush()]);
      for (const { cid, bytes } of blocks) expect(await read(store, cid)).toEqual(bytes);
    });

    it("keeps a leaf and a node of equal bytes apart", async () => {
      const leaf = await addBlock(store, text("both"), RAW);
      const node = await addBlock(store, text("both"), DAG_PB);
      await store.delete(leaf);
      expect(await store.has(leaf)).toBe(false);
      expect(await read(store, node)).toEqual(text("both"));
    });

    it("takes a CIDv0 and its CIDv1 for the same block", async () => {
      const v1 = await addBlock(store, text("node"), DAG_PB);
      const v0 = v1.toV0();
      expect(await store.has(v0)).toBe(true);
      expect(await read(store, v0)).toEqual(text("node"));
      await store.delete(v0);
      expect(await store.has(v1)).toBe(false);
    });

    it("frees what a deleted block took, and deletes an absent block without complaint", async () => {
      const cid = await addBlock(store, new Uint8Array(1000).fill(1), RAW);
      await store.delete(cid);
      await store.delete(cid);
      expect(store.usedBytes).toBe(0);
      expect(await store.has(cid)).toBe(false);
      expect(await listed(store)).toEqual([]);
    });

    it("stores an empty block", async () => {
      const cid = await addBlock(store, new Uint8Array(0), RAW);
      expect(await store.has(cid)).toBe(true);
      expect(await read(store, cid)).toEqual(new Uint8Array(0));
    });

    it("refuses what exceeds the quota and keeps what it has", async () => {
      const cid = await addBlock(store, new Uint8Array(QUOTA_BYTES - 10).fill(1), RAW);
      const used = store.usedBytes;
      await expect(addBlock(store, new Uint8Array(11).fill(2), RAW)).rejects.toMatchObject({
        name: "storage_full",
      });
      expect(store.usedBytes).toBe(used);
      expect(await store.availableBytes()).toBe(10);
      expect((await read(store, cid)).byteLength).toBe(QUOTA_BYTES - 10);
      await addBlock(store, new Uint8Array(10).fill(3), RAW);
      expect(await store.availableBytes()).toBe(0);
    });

    it("never exceeds the quota by blocks put at the same time", async () => {
      const puts = Array.from({ length: 20 }, (_, i) =>
        addBlock(store, new Uint8Array(QUOTA_BYTES / 10).fill(i), RAW),
      );
      const outcomes = await Promise.allSettled(puts);
      const stored = outcomes.filter(({ status }) => status === "fulfilled");
      const refused = outcomes.filter(({ status }) => status === "rejected");
      expect(stored.length).toBe(10);
      for (const outcome of refused) expect(outcome).toMatchObject({ reason: { name: "storage_full" } });
      expect(await listed(store)).toHaveLength(10);
    });

    it("takes bytes as one array, as pieces, and as pieces that come later", async () => {
      async function* later() {
        yield text("pie");
        yield text("ces");
      }
      const cid = await blockCid(text("pieces"), RAW);
      for (const spelling of [text("pieces"), [text("pie"), text("ces")], later()]) {
        await store.put(cid, spelling);
        expect(await read(store, cid)).toEqual(text("pieces"));
        await store.delete(cid);
      }
    });

    it("puts, gets, lists and deletes many", async () => {
      const blocks = await Promise.all(
        ["a", "b", "c"].map(async (name) => ({ cid: await blockCid(text(name), RAW), bytes: text(name) })),
      );
      const names = blocks.map(({ cid }) => cid.toString()).sort();
      expect((await all(store.putMany(blocks))).map(String).sort()).toEqual(names);
      expect((await listed(store)).sort()).toEqual(names);

      const cids = blocks.map(({ cid }) => cid);
      for await (const { cid, bytes } of store.getMany(cids)) {
        expect(await blockCid(await collectBytes(bytes), RAW)).toEqual(cid);
      }
      for await (const { cid, bytes } of store.getAll()) {
        expect(await blockCid(await collectBytes(bytes), RAW)).toEqual(cid);
      }
      expect((await all(store.deleteMany(cids))).map(String).sort()).toEqual(names);
      expect(await listed(store)).toEqual([]);
    });

    it("lists while blocks are deleted", async () => {
      for (let i = 0; i < 10; i++) await addBlock(store, new Uint8Array(10).fill(i), RAW);
      for await (const cid of store.list()) await store.delete(cid);
      expect(store.usedBytes).toBe(0);
    });

    it("stops at an aborted signal", async () => {
      const signal = AbortSignal.abort();
      const cid = await blockCid(text("late"), RAW);
      await expect((async () => store.put(cid, text("late"), { signal }))()).rejects.toThrow();
      await expect((async () => store.has(cid, { signal }))()).rejects.toThrow();
      expect(await store.has(cid)).toBe(false);
    });

    it("refuses everything once closed", async () => {
      const cid = await addBlock(store, text("kept"), RAW);
      await store.close();
      await expect(addBlock(store, text("late"), RAW)).rejects.toMatchObject({ name: "stopped" });
      await expect(read(store, cid)).rejects.toMatchObject({ name: "stopped" });
    });
  });
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

async function read(store: BlockStore, cid: CID): Promise<Uint8Array> {
  return new Uint8Array(await collectBytes(store.get(cid)));
}

async function all<T>(source: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
}

async function listed(store: BlockStore): Promise<string[]> {
  return (await all(store.list())).map(String);
}
