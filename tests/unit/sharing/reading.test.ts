/** Reading a file while its download goes on, or its storage fails: what a reader leaves behind, and what ends it. */
import { getEventListeners } from "node:events";
import type { CID } from "multiformats/cid";
import { describe, expect, it } from "vitest";
import { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { Holding, type HoldingListener } from "../../../src/sharing/catalog/holding.ts";
import { expectByte, type ReadingPorts, readFile } from "../../../src/sharing/files/reading.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, READ_AHEAD_CHUNKS, READ_CONCURRENCY } from "../../../src/sharing/limits.ts";
import { gate } from "./hub.ts";

const never = new AbortController().signal;
const COUNT = 8;

/** A file of eight chunks of which these are held; `damaged` chunks never read as they should. */
async function openFile({ held = [] as number[], damaged = [] as number[] } = {}) {
  const chunks = Array.from({ length: COUNT }, (_, at) => new Uint8Array(CHUNK_BYTES).fill(at));
  const cids = await Promise.all(chunks.map((bytes) => blockCid(bytes, RAW)));
  const holding = new Holding(COUNT);
  for (const index of held) holding.mark(index);
  const watching = new Set<HoldingListener>();
  const watch = holding.watch.bind(holding);
  holding.watch = (listener) => {
    watching.add(listener);
    const stop = watch(listener);
    return () => {
      watching.delete(listener);
      stop();
    };
  };
  const manifest = {
    root: cids[0] as CID,
    sizeBytes: COUNT * CHUNK_BYTES,
    chunkCount: COUNT,
    nodes: [],
    chunkCid: (index: number) => cids[index] as CID,
    chunkBytes: () => CHUNK_BYTES,
    indexesOf: () => [],
  };
  const record = { name: "x", sizeBytes: manifest.sizeBytes, createdAt: new Date(0).toISOString() };
  const entry = new CatalogEntry("file", manifest, holding, record);
  const seen = { reads: [] as number[], checks: 0, isBusy: true, found: entry as CatalogEntry | undefined };
  const losses = { fetchAgain: async () => {}, check: async (): Promise<void> => void seen.checks++ };
  const ports = {
    catalog: { find: () => seen.found },
    blocks: {
      async *get(cid: CID) {
        const index = cids.findIndex((other) => other.equals(cid));
        seen.reads.push(index);
        yield damaged.includes(index) ? new Uint8Array(3) : (chunks[index] as Uint8Array);
      },
    },
    losses,
    isBusy: () => seen.isBusy,
    hasten: () => {},
  } as unknown as ReadingPorts;
  const read = (start: number, end: number, signal: AbortSignal = never) =>
    readFile(ports, entry, { start, end }, signal)[Symbol.asyncIterator]();
  const expected = (signal: AbortSignal) => expectByte(ports, "file", 0, signal);
  return { entry, seen, losses, read, expected, watching };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a reader of a file that is on its way", () => {
  it("says where it is, and wants nothing more once it is gone", async () => {
    const { entry, read } = await openFile({ held: [2, 3] });
    const reader = read(2 * CHUNK_BYTES + 5, COUNT * CHUNK_BYTES);
    const { value } = await reader.next();
    expect([value?.length, value?.[0]]).toEqual([CHUNK_BYTES - 5, 2]);
    expect(entry.demand.spans()).toEqual([{ first: 2, end: COUNT }]);
    const second = (await reader.next()).value;
    expect([second?.length, second?.[0]]).toEqual([CHUNK_BYTES, 3]);
    expect(entry.demand.spans()).toEqual([{ first: 3, end: COUNT }]);
    await reader.return?.();
    expect(entry.demand.spans()).toEqual([]);
  });

  it("gets a chunk as soon as it is there, and watches no longer", async () => {
    const { entry, read, seen, watching } = await openFile();
    const { signal } = new AbortController();
    const reader = read(0, 10, signal);
    const first = reader.next();
    await turn();
    expect([seen.reads, getEventListeners(signal, "abort").length, watching.size]).toEqual([[], 1, 1]);
    entry.holding.mark(0);
    expect((await first).value).toEqual(new Uint8Array(10));
    expect((await reader.next()).done).toBe(true);
    expect([getEventListeners(signal, "abort"), entry.demand.spans(), watching.size]).toEqual([[], [], 0]);
  });

  it.each<[string, (file: Awaited<ReturnType<typeof openFile>>, own: AbortController) => void, string]>([
    ["it gives up", (_, own) => own.abort(new Error("enough")), "enough"],
    [
      "the download ends",
      ({ entry, seen }) => {
        seen.isBusy = false;
        entry.holding.notify();
      },
      "the download ended",
    ],
    [
      "the file is removed",
      ({ entry, seen }) => {
        seen.found = undefined;
        entry.holding.notify();
      },
      "the download ended",
    ],
  ])("waits no longer once %s", async (_, end, message) => {
    const file = await openFile();
    const own = new AbortController();
    const next = file.read(0, COUNT * CHUNK_BYTES, own.signal).next();
    await turn();
    end(file, own);
    await expect(next).rejects.toThrow(message);
    await turn();
    expect([getEventListeners(own.signal, "abort"), file.watching.size]).toEqual([[], 0]);
    expect(file.entry.demand.spans()).toEqual([]);
  });
});

describe("a reader of a file of which something was lost", () => {
  const held = [1, 2, 3, 4, 5, 6, 7];

  it.each<[string, "fetchAgain" | "check", number[], "read" | "expected"]>([
    ["its turn to have that fetched, before it is answered", "fetchAgain", held, "expected"],
    ["its turn to have that fetched", "fetchAgain", held, "read"],
    ["the look through the whole file", "check", [0, ...held], "read"],
  ])("waits for %s no longer once it gives up", async (_, what, chunks, how) => {
    const { losses, read, expected, entry } = await openFile({ held: chunks, damaged: [0] });
    const own = new AbortController();
    let first: Promise<unknown> | undefined;
    await new Promise<void>((waits) => {
      losses[what] = () => {
        waits();
        return new Promise<void>(() => {});
      };
      first = how === "read" ? read(0, 10, own.signal).next() : expected(own.signal);
    });
    own.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
    await turn();
    expect([getEventListeners(own.signal, "abort"), entry.demand.spans()]).toEqual([[], []]);
  });

  it("has wanted it from when it was found lost", async () => {
    const { losses, read, entry } = await openFile({ held: [0, ...held], damaged: [0] });
    const checked = gate();
    losses.check = async () => {
      entry.holding.unmark(0);
      checked.open();
    };
    const own = new AbortController();
    const next = read(0, 2 * CHUNK_BYTES, own.signal).next();
    await checked.opened;
    expect(entry.demand.spans()).toEqual([{ first: 0, end: 2 }]);
    own.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
  });
});

describe("a reader of a file that is here", () => {
  const all = Array.from({ length: COUNT }, (_, at) => at);

  it("reads a few chunks ahead, and none past its end", async () => {
    const { read, seen } = await openFile({ held: all });
    const reader = read(CHUNK_BYTES, 6 * CHUNK_BYTES);
    await reader.next();
    await turn();
    expect(seen.reads).toEqual(all.slice(1, 1 + READ_CONCURRENCY));
    let sizeBytes = CHUNK_BYTES;
    for (let next = await reader.next(); !next.done; next = await reader.next())
      sizeBytes += next.value.length;
    expect([seen.reads, sizeBytes]).toEqual([[1, 2, 3, 4, 5], 5 * CHUNK_BYTES]);
  });

  it("gives up a chunk that the storage does not keep, looked at twice", async () => {
    const { read, seen } = await openFile({ held: all, damaged: [0] });
    await expect(read(0, 10).next()).rejects.toMatchObject({ name: "stopped" });
    expect([seen.reads, seen.checks]).toEqual([[0, 0], 1]);
  });
});

describe("what readers want", () => {
  it("is a stretch from where each is, of which the download hears when it changes", async () => {
    const { demand } = (await openFile()).entry;
    let heard = 0;
    const unwatch = demand.watch(() => heard++);
    const [one, other] = [{}, {}];
    demand.move(one, 3, 1000);
    demand.move(other, 5, 6);
    demand.move(one, 4, 1000);
    expect(demand.spans()).toEqual([
      { first: 4, end: 4 + READ_AHEAD_CHUNKS },
      { first: 5, end: 6 },
    ]);
    expect(heard).toBe(3);
    demand.leave(one);
    demand.leave(one);
    expect([demand.spans(), heard]).toEqual([[{ first: 5, end: 6 }], 4]);
    unwatch();
    demand.leave(other);
    expect(heard).toBe(4);
  });
});
