/** How often and how far storage is looked through for what it has lost, whatever peers ask for. */
import type { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import type { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { Holding } from "../../../src/sharing/catalog/holding.ts";
import { Losses } from "../../../src/sharing/catalog/losses.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import { MAX_REPAIRS_AT_START, SUSPECT_EVERY_MS } from "../../../src/sharing/limits.ts";
import type { BlockStore } from "../../../src/sharing/ports.ts";
import { untilTrue } from "../../eventually.ts";
import { HandClock } from "../hand-clock.ts";
import { gate } from "./hub.ts";

const COUNT = 4;
const missing = () => Object.assign(new Error("not here"), { name: "NotFoundError" });

/** Nothing of the file is looked at any more. */
const lookedThrough = (entry: CatalogEntry) => untilTrue(() => !entry.mayLackMore);

/** Files of four chunks of their own, whose reads a test can bend. */
async function openLosses(fileCount = 2) {
  const clock = new HandClock();
  const buffers = new ChunkBuffers();
  const blocks = new Map<string, Uint8Array>();
  const seen = {
    reads: 0,
    doubted: 0,
    taken: 0,
    announced: [] as string[],
    repaired: new Set<string>(),
    warned: [] as string[],
    read: (cid: CID): Uint8Array | Promise<Uint8Array> => {
      const bytes = blocks.get(cid.toString());
      if (bytes === undefined) throw missing();
      return bytes;
    },
  };
  const entries = await Promise.all(
    Array.from({ length: fileCount }, (_, at) => addFile(`file ${at + 1}`, (at + 1) * 10)),
  );

  async function addFile(id: string, first: number): Promise<CatalogEntry> {
    const chunks = Array.from({ length: COUNT }, (_, at) => Uint8Array.of(first + at));
    const cids = await Promise.all(chunks.map((bytes) => blockCid(bytes, RAW)));
    for (const [at, cid] of cids.entries()) blocks.set(cid.toString(), chunks[at] as Uint8Array);
    const manifest = {
      root: cids[0] as CID,
      sizeBytes: COUNT,
      chunkCount: COUNT,
      nodes: [],
      chunkCid: (index: number) => cids[index] as CID,
      chunkBytes: () => 1,
      indexesOf: (cid: CID) => cids.flatMap((other, at) => (other.equals(cid) ? [at] : [])),
    };
    const record = { name: id, sizeBytes: COUNT, createdAt: new Date(0).toISOString() };
    return new CatalogEntry(id, manifest, Holding.complete(COUNT), record);
  }

  const removed = new Set<CatalogEntry>();
  const find = (id: string) => entries.find((entry) => entry.id === id && !removed.has(entry));
  const isLossy = (id: string) => entries.some((entry) => entry.id === id && !entry.holding.isComplete);
  const log = { debug: () => {}, info: () => {}, warn: (message: string) => void seen.warned.push(message) };
  const losses = new Losses({
    blocks: {
      buffers: {
        take: () => {
          seen.taken += 1;
          return buffers.take();
        },
        give: (buffer: Uint8Array) => {
          seen.taken -= 1;
          buffers.give(buffer);
        },
      },
      read: async (cid: CID) => {
        seen.reads += 1;
        return seen.read(cid);
      },
      doubt: () => void seen.doubted++,
    } as unknown as BlockStore,
    catalog: { entries: () => entries, files: () => entries, find, isLossy } as unknown as Catalog,
    clock,
    log,
    announce: (id) => seen.announced.push(id),
    repair: async (id) => void seen.repaired.add(id),
    signal: new AbortController().signal,
  });
  const [one, two] = entries as [CatalogEntry, CatalogEntry];
  const last = entries.at(-1) as CatalogEntry;
  const lose = (entry: CatalogEntry, index: number) =>
    blocks.delete(entry.manifest.chunkCid(index).toString());
  return { losses, seen, clock, one, two, last, lose, remove: (entry: CatalogEntry) => removed.add(entry) };
}

describe("a chunk that a peer asks for and storage does not give", () => {
  it("has the files looked through that should have it, and no others", async () => {
    const { losses, seen, one, two, lose } = await openLosses();
    lose(one, 2);
    losses.suspect(one.manifest.chunkCid(2));
    await lookedThrough(one);
    expect([seen.reads, one.holding.heldCount, two.holding.heldCount]).toEqual([COUNT, COUNT - 1, COUNT]);
    expect([seen.announced, seen.repaired, seen.taken]).toEqual([["file 1"], new Set(["file 1"]), 0]);
  });

  it("has nothing looked through where it is not here yet", async () => {
    const { losses, seen, one } = await openLosses();
    one.holding.unmark(2);
    losses.suspect(one.manifest.chunkCid(2));
    expect(seen.reads).toBe(0);
  });

  it("is looked for now and then, however often it is asked for", async () => {
    const { losses, seen, clock, one } = await openLosses();
    losses.suspect(one.manifest.chunkCid(0));
    await lookedThrough(one);
    for (let times = 0; times < 4; times++) {
      await clock.pass(SUSPECT_EVERY_MS / 4 - 1);
      losses.suspect(one.manifest.chunkCid(0));
    }
    expect(seen.reads).toBe(COUNT);
    await clock.pass(4);
    await expect.poll(() => seen.reads).toBe(2 * COUNT);
  });

  it("is not forgotten because another was looked for just before", async () => {
    const { losses, seen, clock, one, two, lose } = await openLosses();
    lose(one, 0);
    lose(two, 0);
    losses.suspect(one.manifest.chunkCid(0));
    losses.suspect(two.manifest.chunkCid(0));
    await lookedThrough(one);
    await clock.pass(SUSPECT_EVERY_MS);
    await expect.poll(() => seen.repaired).toEqual(new Set(["file 1", "file 2"]));
  });

  it("is the first of its file to be told of as lost", async () => {
    const { losses, seen, one, lose } = await openLosses();
    lose(one, 3);
    const read = seen.read;
    const held: boolean[] = [];
    seen.read = (cid) => {
      held.push(one.holding.has(3));
      return read(cid);
    };
    losses.suspect(one.manifest.chunkCid(3));
    await lookedThrough(one);
    expect(held).toEqual([true, false, false, false]);
  });

  it("is told of in the log where storage fails, of which nobody else hears", async () => {
    const { losses, seen, one } = await openLosses();
    seen.read = () => {
      throw new Error("the disk is gone");
    };
    losses.suspect(one.manifest.chunkCid(0));
    await expect.poll(() => seen.warned).toEqual(["a file was not checked"]);
    expect(seen.taken).toBe(0);
    expect([one.holding.isComplete, one.mayLackMore]).toEqual([true, false]);
  });
});

describe("a check", () => {
  it("is one, whoever asks for it meanwhile, and another one later", async () => {
    const { losses, seen, one } = await openLosses();
    await Promise.all([losses.check(one, []), losses.check(one, [])]);
    await lookedThrough(one);
    expect(seen.reads).toBe(COUNT);
    await losses.check(one, [1]);
    await lookedThrough(one);
    expect(seen.reads).toBe(2 * COUNT);
    expect([seen.announced, seen.warned, seen.repaired]).toEqual([[], [], new Set()]);
  });

  it("reads nothing that is not held, and tells once of all that is lost", async () => {
    const { losses, seen, one, lose } = await openLosses();
    one.holding.unmark(0);
    for (const index of [1, 3]) lose(one, index);
    await losses.check(one, []);
    await lookedThrough(one);
    expect([seen.reads, one.holding.heldCount]).toEqual([COUNT - 1, 1]);
    expect([seen.announced, seen.warned]).toEqual([["file 1"], ["chunks of a file were lost"]]);
  });

  it("has each chunk hashed once, by the store", async () => {
    const { losses, seen, one } = await openLosses();
    const hashed = vi.spyOn(crypto.subtle, "digest");
    await losses.check(one, [3]);
    await lookedThrough(one);
    expect([seen.doubted, seen.reads, hashed.mock.calls]).toEqual([COUNT, COUNT, []]);
  });

  it("has what it begins with fetched again at once, and by the same repair what it finds later", async () => {
    const { losses, seen, one, lose } = await openLosses();
    const { opened, open } = gate();
    const read = seen.read;
    seen.read = async (cid) => {
      if (cid.equals(one.manifest.chunkCid(0))) await opened;
      return read(cid);
    };
    for (const index of [1, 2]) lose(one, index);
    await losses.check(one, [2]);
    expect([seen.repaired, one.holding.heldCount, one.mayLackMore]).toEqual([
      new Set(["file 1"]),
      COUNT - 1,
      true,
    ]);
    await losses.check(one, [1]);
    expect([seen.reads, one.holding.heldCount]).toEqual([3, COUNT - 2]);
    open();
    await lookedThrough(one);
    expect(seen.reads).toBe(COUNT);
  });

  it("ends where its file is deleted, whose blocks are no loss", async () => {
    const { losses, seen, one, lose, remove } = await openLosses();
    const read = seen.read;
    seen.read = (cid) => {
      remove(one);
      for (let index = 0; index < COUNT; index++) lose(one, index);
      return read(cid);
    };
    await losses.check(one, []);
    await lookedThrough(one);
    expect([seen.reads, seen.warned, seen.announced, seen.repaired]).toEqual([1, [], [], new Set()]);
  });

  it("fetches at the start what was lost before, and of what is whole nothing", async () => {
    const { losses, seen, last } = await openLosses(MAX_REPAIRS_AT_START + 1);
    last.holding.unmark(1);
    await losses.fetchAllAgain();
    await losses.fetchAgain("file 1");
    expect([seen.repaired, seen.reads]).toEqual([new Set([last.id]), 0]);
  });
});
