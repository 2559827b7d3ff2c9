/** The window's end of a page's blocks: what it asks of the storage worker, which is played here, and when. */
import type { Remote } from "comlink";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { beforeEach, expect, it, vi } from "vitest";
import { blockKey } from "../../../src/browser/blocks/blocks-keys.ts";
import type { BlocksWork, PutManner } from "../../../src/browser/blocks/blocks-work.ts";
import { type IdbBlockStore, openIdbBlockStore } from "../../../src/browser/blocks/idb-block-store.ts";
import {
  DELETES_AT_ONCE,
  MAX_SPARE_COPIES,
  SHORT_BLOCK_BYTES,
  SIZES_PER_PAGE,
} from "../../../src/browser/limits.ts";
import type { LostBlock } from "../../../src/sharing/catalog/loss-log.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW, SHA2_256 } from "../../../src/sharing/hash.ts";
import { BELIEVED_MS, CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { allRejected } from "../../all-rejected.ts";
import { type Deferred, deferred } from "../../deferred.ts";

const never = new AbortController().signal;

/** The nth block of a store, whose hash nobody looks at. */
function cidOf(n: number): CID {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(0, n);
  return CID.createV1(RAW, Digest.create(SHA2_256, digest));
}

/** A storage worker that keeps what it is given by its key. */
class Work {
  readonly kept = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly manners: PutManner[] = [];
  readonly buffers: ArrayBuffer[] = [];
  /** Whether each read was of a block that is doubted. */
  readonly doubts: boolean[] = [];
  listings = 0;
  closings = 0;
  /** Puts wait for it. */
  gate: Deferred<void> | undefined;
  closing: () => Promise<void> = async () => {};

  async open() {}

  async sizes(after: string | undefined, count: number): Promise<[string, number][]> {
    this.listings += 1;
    const keys = [...this.kept.keys()].sort().filter((key) => after === undefined || key > after);
    return keys.slice(0, count).map((key) => [key, (this.kept.get(key) as Uint8Array).length]);
  }

  async put(key: string, bytes: Uint8Array<ArrayBuffer>, manner: PutManner) {
    this.manners.push(manner);
    this.buffers.push(bytes.buffer);
    await this.gate?.promise;
    this.kept.set(key, bytes.slice());
    return bytes;
  }

  async read(key: string, doubted: boolean) {
    this.doubts.push(doubted);
    return this.kept.get(key)?.slice() ?? "gone";
  }

  async look(key: string) {
    return this.kept.has(key) ? undefined : "gone";
  }

  async blob(key: string, doubted: boolean) {
    this.doubts.push(doubted);
    const bytes = this.kept.get(key);
    return bytes && new Blob([bytes]);
  }

  async delete(key: string) {
    this.kept.delete(key);
  }

  async close() {
    this.closings += 1;
    await this.closing();
  }
}

let work: Work;
let lost: LostBlock[];
let estimate: () => Promise<{ usage: number; quota: number }>;
beforeEach(() => {
  work = new Work();
  lost = [];
  estimate = async () => ({ usage: 400, quota: 1000 });
  vi.stubGlobal("navigator", { storage: { estimate: () => estimate() } });
});

function openStore(maxBytes?: number): Promise<IdbBlockStore> {
  return openIdbBlockStore({
    work: work as unknown as Remote<BlocksWork>,
    onLost: (block) => lost.push(block),
    ...(maxBytes !== undefined && { maxBytes }),
  });
}

const bytesOf = (sizeBytes: number, fill = 1) => new Uint8Array(sizeBytes).fill(fill);

it.each([0, 1, SIZES_PER_PAGE - 1, SIZES_PER_PAGE, SIZES_PER_PAGE + 1, 2 * SIZES_PER_PAGE + 5])(
  "knows what was held when it is opened again, each block once: %i of them",
  async (count) => {
    const cids = Array.from({ length: count }, (_, n) => cidOf(n));
    for (const cid of cids) work.kept.set(blockKey(cid), bytesOf(3));
    const store = await openStore();
    expect(cids.every((cid) => store.has(cid))).toBe(true);
    expect(store.usedBytes).toBe(3 * count);
    const listed: string[] = [];
    for await (const cid of store.list()) listed.push(cid.toString());
    expect(listed.sort()).toEqual(cids.map(String).sort());
    expect(work.listings).toBe(Math.floor(count / SIZES_PER_PAGE) + 1);
  },
);

it("has as much room as the browser gives the site, where that is less than it may take", async () => {
  const store = await openStore(1000);
  expect(await store.availableBytes()).toBe(600);
  store.maxBytes = 500;
  expect(await store.availableBytes()).toBe(500);
  estimate = async () => ({ usage: 1200, quota: 1000 });
  expect(await store.availableBytes()).toBe(0);
});

it("has as much room as it may take where the browser can't tell how much there is", async () => {
  const store = await openStore(500);
  estimate = () => Promise.reject(new TypeError("Internal error when calculating storage usage."));
  expect(await store.availableBytes()).toBe(500);
});

it("takes to the last byte what it may hold, counting what is on its way", async () => {
  const store = await openStore(10);
  work.gate = deferred();
  const first = store.putVerified(cidOf(1), bytesOf(4));
  await expect.poll(() => work.buffers.length).toBe(1);
  expect(await store.availableBytes()).toBe(6);
  await expect(store.putVerified(cidOf(2), bytesOf(7))).rejects.toMatchObject({ name: "storage_full" });
  const second = store.putVerified(cidOf(3), bytesOf(6));
  work.gate.resolve();
  await Promise.all([first, second]);
  expect(store.usedBytes).toBe(10);
});

it("gives back the room of a put that failed", async () => {
  const store = await openStore(10);
  work.gate = deferred();
  const put = store.putVerified(cidOf(1), bytesOf(10));
  await expect.poll(() => work.buffers.length).toBe(1);
  work.gate.reject(new SharingError("storage_full", "no room"));
  await expect(put).rejects.toMatchObject({ name: "storage_full" });
  expect([store.has(cidOf(1)), store.usedBytes]).toEqual([false, 0]);
  work.gate = undefined;
  await store.putVerified(cidOf(1), bytesOf(10));
});

it("tells the worker whether a block is checked, and whether more are to come, which one that is hashed waits for never", async () => {
  const store = await openStore();
  await store.putVerified(cidOf(1), bytesOf(1), { moreToCome: true });
  await store.putVerified(cidOf(2), bytesOf(1));
  await store.write(cidOf(3), bytesOf(1));
  expect(work.manners).toEqual([
    { verified: true, moreToCome: true },
    { verified: true, moreToCome: false },
    { verified: false, moreToCome: false },
  ]);
});

it("does not write again a block that is there as it should be", async () => {
  const store = await openStore();
  await store.write(cidOf(1), bytesOf(1));
  await store.write(cidOf(1), bytesOf(1));
  expect(work.manners.length).toBe(1);
});

it("sends in a buffer that came back, a longer block in one of its own, and keeps some of them alone", async () => {
  const store = await openStore();
  await store.write(cidOf(1), bytesOf(SHORT_BLOCK_BYTES + 1));
  await store.write(cidOf(2), bytesOf(CHUNK_BYTES));
  expect(work.buffers[1]).toBe(work.buffers[0]);
  await store.write(cidOf(3), bytesOf(CHUNK_BYTES + 1));
  expect(work.kept.get(blockKey(cidOf(3)))?.length).toBe(CHUNK_BYTES + 1);
  await store.write(cidOf(4), bytesOf(SHORT_BLOCK_BYTES + 1));
  expect(await collectBytes(store.get(cidOf(4)))).toEqual(bytesOf(SHORT_BLOCK_BYTES + 1));

  const many = 2 * MAX_SPARE_COPIES;
  const putAtOnce = async (from: number) => {
    work.gate = deferred();
    work.buffers.length = 0;
    const puts = Array.from({ length: many }, (_, n) =>
      store.write(cidOf(from + n), bytesOf(SHORT_BLOCK_BYTES + 1)),
    );
    await expect.poll(() => work.buffers.length).toBe(many);
    work.gate.resolve();
    await Promise.all(puts);
    return [...work.buffers];
  };
  const former = new Set(await putAtOnce(100));
  const reused = (await putAtOnce(200)).filter((buffer) => former.has(buffer));
  expect(reused.length).toBe(MAX_SPARE_COPIES);
});

it("sends a short block in a buffer of its length, and keeps none of those", async () => {
  const store = await openStore();
  const sent = bytesOf(5);
  await store.write(cidOf(1), sent);
  await store.write(cidOf(2), bytesOf(SHORT_BLOCK_BYTES));
  await store.write(cidOf(3), bytesOf(CHUNK_BYTES));
  expect(work.buffers.map(({ byteLength }) => byteLength)).toEqual([5, SHORT_BLOCK_BYTES, CHUNK_BYTES]);
  expect(work.buffers).not.toContain(sent.buffer);
  expect(await collectBytes(store.get(cidOf(1)))).toEqual(sent);
});

it("has a block looked at that goes to peers, not again for a while, and then again", async () => {
  work.kept.set(blockKey(cidOf(1)), bytesOf(5));
  const store = await openStore();
  const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
  await collectBytes(store.get(cidOf(1)));
  await store.read(cidOf(1), undefined, never);
  await store.read(cidOf(1), undefined, never);
  await store.blob(cidOf(1));
  clock.mockReturnValue(1000 + BELIEVED_MS);
  await store.blob(cidOf(1));
  await store.read(cidOf(1), undefined, never);
  store.doubt(cidOf(1));
  await store.read(cidOf(1), undefined, never);
  // What this page has hashed itself needs no look, until it is another's again.
  await store.putVerified(cidOf(2), bytesOf(5));
  await store.read(cidOf(2), undefined, never);
  // Nor what was put again, and so was found to be as it should be.
  store.doubt(cidOf(2));
  await store.write(cidOf(2), bytesOf(5));
  await store.read(cidOf(2), undefined, never);
  expect(work.doubts).toEqual([false, true, false, false, true, false, true, false, false]);
});

it("says which block was lost and why, once, and has its room again", async () => {
  for (const n of [1, 2]) work.kept.set(blockKey(cidOf(n)), bytesOf(5));
  const store = await openStore();
  work.kept.delete(blockKey(cidOf(1)));
  work.kept.set(blockKey(cidOf(2)), bytesOf(4));
  const reads = [1, 1, 2].map((n) => collectBytes(store.get(cidOf(n))));
  await allRejected(reads, { name: "NotFoundError" });
  expect(lost).toEqual([
    { cid: cidOf(1).toString(), why: "gone" },
    { cid: cidOf(2).toString(), why: "cut short" },
  ]);
  expect(store.usedBytes).toBe(0);
});

it("gives no Blob of another length than it was stored with, nor one of a block that it lacks", async () => {
  work.kept.set(blockKey(cidOf(1)), bytesOf(5));
  const store = await openStore();
  expect((await store.blob(cidOf(1)))?.size).toBe(5);
  work.kept.set(blockKey(cidOf(1)), bytesOf(4));
  expect(await store.blob(cidOf(1))).toBeUndefined();
  expect(await store.blob(cidOf(2))).toBeUndefined();
});

it("deletes the blocks of a large file some at a time, and all of them", async () => {
  const cids = Array.from({ length: 2 * DELETES_AT_ONCE + 1 }, (_, n) => cidOf(n));
  for (const cid of cids) work.kept.set(blockKey(cid), bytesOf(1));
  const store = await openStore();
  let read = 0;
  async function* source() {
    for (const cid of cids) {
      read += 1;
      yield cid;
    }
  }
  const deleted: CID[] = [];
  for await (const cid of store.deleteMany(source())) {
    expect(read - deleted.length).toBeLessThanOrEqual(DELETES_AT_ONCE);
    deleted.push(cid);
  }
  expect(deleted).toEqual(cids);
  expect([work.kept.size, store.usedBytes]).toEqual([0, 0]);
});

it("gives nothing to who has gone, before it reads or after", async () => {
  work.kept.set(blockKey(cidOf(1)), bytesOf(5));
  const store = await openStore();
  const gone = AbortSignal.abort(new Error("gone"));
  await expect(store.read(cidOf(1), undefined, gone)).rejects.toThrow("gone");
  await expect(collectBytes(store.get(cidOf(1), { signal: gone }))).rejects.toThrow("gone");
  expect(work.doubts).toEqual([]);
  const going = new AbortController();
  const read = store.get(cidOf(1), { signal: going.signal }).next();
  going.abort(new Error("gone meanwhile"));
  await expect(read).rejects.toThrow("gone meanwhile");
});

it("is closed once the writes under way have ended, and takes and gives nothing then", async () => {
  const store = await openStore();
  work.gate = deferred();
  const put = store.write(cidOf(1), bytesOf(1));
  await expect.poll(() => work.buffers.length).toBe(1);
  const closed = store.close();
  await new Promise(setImmediate);
  expect(work.closings).toBe(0);
  work.gate.resolve();
  await Promise.all([put, closed, store.close()]);
  expect(work.closings).toBe(1);
  const stopped = { name: "stopped" };
  expect(() => store.has(cidOf(1))).toThrow(expect.objectContaining(stopped));
  await expect(store.flush()).rejects.toMatchObject(stopped);
  await expect(store.write(cidOf(2), bytesOf(1))).rejects.toMatchObject(stopped);
  await expect(store.putVerified(cidOf(2), bytesOf(1))).rejects.toMatchObject(stopped);
  await expect(store.read(cidOf(1), undefined, never)).rejects.toMatchObject(stopped);
  await expect(store.blob(cidOf(1))).rejects.toMatchObject(stopped);
  await expect(store.delete(cidOf(1))).rejects.toMatchObject(stopped);
  await expect(store.list().next()).rejects.toMatchObject(stopped);
});

it("is closed where its worker has ended, and says what else went wrong", async () => {
  const ended = await openStore();
  work.closing = () => Promise.reject(new SharingError("stopped", "the storage worker has ended"));
  await ended.close();
  const failing = await openStore();
  work.closing = () => Promise.reject(new Error("the disk is gone"));
  await expect(failing.close()).rejects.toThrow("the disk is gone");
});
