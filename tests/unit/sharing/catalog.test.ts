/** What the catalog keeps of a file, and undoes: src/sharing/catalog/catalog. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { importFile } from "../../../src/sharing/files/dag.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { bytesOf, randomFile } from "./hub.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {} };

/** A catalog with a file of two chunks, of which nothing is stored. */
async function partial() {
  const [records, blocks] = [new MemoryRecords(), new MemoryBlockStore()];
  const catalog = await Catalog.open(blocks, records, silent);
  const { signal } = new AbortController();
  const manifest = await importFile(bytesOf(new Uint8Array(CHUNK_BYTES + 1)), async () => {}, { signal });
  const entry = await catalog.addPartial(manifest, [], () => ({
    name: "x",
    createdAt: new Date(1),
    isUnlisted: false,
  }));
  return { records, blocks, catalog, manifest, entry };
}

describe("the catalog", () => {
  it("keeps nothing of a file that was removed before it was found to be complete, or got a name", async () => {
    const records = new MemoryRecords();
    const catalog = await Catalog.open(new MemoryBlockStore(), records, silent);
    const { signal } = new AbortController();
    const buffers = new ChunkBuffers();
    const manifest = await importFile(bytesOf(randomFile(10)), async () => {}, { signal, buffers });
    const entry = await catalog.addPartial(manifest, [], () => ({
      name: "x",
      createdAt: new Date(),
      isUnlisted: false,
    }));
    await catalog.remove(entry.id);
    await catalog.completed(entry);
    await catalog.change(entry, { name: "y" });
    const kept = [];
    for await (const [id] of records.entries("files")) kept.push(id);
    expect(kept).toEqual([]);
  });

  it("calls a file what it was called before its manifest was lost, and tells nobody of one that was unlisted", async () => {
    const { catalog, records, blocks, manifest, entry } = await partial();
    await catalog.change(entry, { isUnlisted: true });
    const again = await Catalog.open(blocks, records, silent);
    expect(again.isBroken(entry.id)).toBe(true);
    const facts = () => ({ name: "y", createdAt: new Date(5), isUnlisted: false });
    expect(again.isUnlisted(entry.id)).toBe(true);
    const { name, createdAt, isUnlisted } = await again.addPartial(manifest, [], facts);
    expect({ name, createdAt, isUnlisted }).toEqual({ name: "x", createdAt: new Date(1), isUnlisted: true });
    expect(again.isUnlisted(entry.id)).toBe(true);
  });

  it("writes nothing of a file that is so already, which a full disk would not take", async () => {
    const { catalog, records, entry } = await partial();
    const { name, isUnlisted } = entry;
    records.batch = () => Promise.reject(new Error("the disk is full"));
    await catalog.change(entry, { name, isUnlisted });
    await expect(catalog.change(entry, { name: "y" })).rejects.toThrow("the disk is full");
    await expect(catalog.change(entry, { isUnlisted: true })).rejects.toThrow("the disk is full");
    expect(entry).toMatchObject({ name, isUnlisted });
  });

  it("undoes of changes at the same time the one that can't be kept, and no other", async () => {
    const { catalog, records, entry } = await partial();
    vi.spyOn(records, "batch").mockRejectedValueOnce(new Error("the disk is full"));
    const renamed = catalog.change(entry, { name: "y" });
    const unlisted = catalog.change(entry, { isUnlisted: true });
    await expect(renamed).rejects.toThrow("the disk is full");
    await unlisted;
    const kept = { name: "x", isUnlisted: true };
    expect(entry).toMatchObject(kept);
    expect(await records.get("files", entry.id)).toMatchObject(kept);
  });

  it("has a change that depends on the file decide once those before it are kept, and tells what is changed", async () => {
    const { catalog, entry } = await partial();
    const renamed = catalog.change(entry, { name: "y" });
    const named = catalog.change(entry, ({ name }) => (name === "x" ? { name: "z" } : {}));
    expect(await Promise.all([renamed, named])).toEqual([true, false]);
    expect(entry.name).toBe("y");
  });

  it("gives the oldest file first", async () => {
    const { catalog } = await partial();
    const { signal } = new AbortController();
    for (const moment of [3, 0, 2]) {
      const manifest = await importFile(bytesOf(randomFile(10)), async () => {}, { signal });
      await catalog.addPartial(manifest, [], () => ({
        name: `of ${moment}`,
        createdAt: new Date(moment),
        isUnlisted: false,
      }));
    }
    expect(catalog.files().map(({ name }) => name)).toEqual(["of 0", "x", "of 2", "of 3"]);
  });

  it("tells of a file that was listed also where it is fetched again from who tells nobody", async () => {
    const { records, blocks, manifest, entry } = await partial();
    const again = await Catalog.open(blocks, records, silent);
    const facts = () => ({ name: "y", createdAt: new Date(5), isUnlisted: true });
    await again.addPartial(manifest, [], facts);
    expect(again.isUnlisted(entry.id)).toBe(false);
  });

  it("takes nothing for kept that could not be", async () => {
    const { catalog, records, entry } = await partial();
    const full = vi.spyOn(records, "batch").mockRejectedValue(new Error("the disk is full"));
    await expect(catalog.completed(entry)).rejects.toThrow("the disk is full");
    await expect(catalog.change(entry, { name: "y" })).rejects.toThrow("the disk is full");
    expect([entry.wasComplete, entry.name]).toEqual([false, "x"]);
    full.mockRestore();
    await catalog.completed(entry);
    await catalog.change(entry, { name: "y" });
    expect(await records.get("files", entry.id)).toMatchObject({ wasComplete: true, name: "y" });
  });
});

/** Records each of which is written, or fails, once it is let go. */
class HeldRecords extends MemoryRecords {
  readonly held: ((failure?: Error) => void)[] = [];

  override async batch(changes: RecordChange[]): Promise<void> {
    const failure = await new Promise<Error | undefined>((go) => this.held.push(go));
    if (failure) throw failure;
    await super.batch(changes);
  }
}

describe("a file that two share at once", () => {
  async function sharedTwice() {
    const [records, blocks] = [new HeldRecords(), new MemoryBlockStore()];
    const catalog = await Catalog.open(blocks, records, silent);
    const { signal } = new AbortController();
    const bytes = randomFile(CHUNK_BYTES + 1);
    const told: string[] = [];
    const share = async (who: string) => {
      const manifest = await importFile(bytesOf(bytes), (cid, block) => catalog.store(cid, block), {
        signal,
      });
      await catalog.add(manifest, { name: who, createdAt: new Date(1), isUnlisted: false });
      told.push(who);
    };
    const flush = vi.spyOn(blocks, "flush");
    const first = share("first");
    await expect.poll(() => records.held).toHaveLength(1);
    const second = share("second");
    await expect.poll(() => flush).toHaveBeenCalledTimes(2);
    await setImmediate();
    return { records, blocks, catalog, told, first, second };
  }

  it("is here for neither before it is recorded", async () => {
    const { records, told, first, second } = await sharedTwice();
    expect(told).toEqual([]);
    records.held.shift()?.();
    await Promise.all([first, second]);
    expect(told).toEqual(["first", "second"]);
  });

  it("is stored as long as it is here, and no longer", async () => {
    const { records, blocks, catalog, first, second } = await sharedTwice();
    records.held.shift()?.();
    await Promise.all([first, second]);
    expect(blocks.usedBytes).toBeGreaterThan(CHUNK_BYTES);
    const [file] = catalog.files();
    const removed = catalog.remove(file?.id ?? "");
    await expect.poll(() => records.held).toHaveLength(1);
    records.held.shift()?.();
    await removed;
    expect(blocks.usedBytes).toBe(0);
  });

  it("is recorded by the second where the first could not", async () => {
    const { records, blocks, catalog, first, second } = await sharedTwice();
    records.held.shift()?.(new Error("the disk fails"));
    await expect(first).rejects.toThrow("the disk fails");
    await expect.poll(() => records.held).toHaveLength(1);
    records.held.shift()?.();
    await second;
    expect(catalog.files()).toMatchObject([{ name: "second", complete: true }]);
    expect(blocks.usedBytes).toBeGreaterThan(CHUNK_BYTES);
  });
});

it("a file that is shared anew while its deletion fails is that of who shared it, and has its blocks once", async () => {
  const [records, blocks] = [new HeldRecords(), new MemoryBlockStore()];
  const catalog = await Catalog.open(blocks, records, silent);
  const { signal } = new AbortController();
  const bytes = randomFile(10);
  const share = async (name: string) => {
    const manifest = await importFile(bytesOf(bytes), (cid, block) => catalog.store(cid, block), { signal });
    return await catalog.add(manifest, { name, createdAt: new Date(1), isUnlisted: false });
  };
  /** The work, once as many changes are held: the oldest fails or not. */
  const next = async (heldCount: number, failure?: Error) => {
    await expect.poll(() => records.held).toHaveLength(heldCount);
    records.held.shift()?.(failure);
  };
  const first = share("first");
  await next(1);
  const { id } = await first;
  const removed = catalog.remove(id);
  const again = share("again");
  await next(2, new Error("the disk is bad"));
  await next(1);
  await removed;
  expect(catalog.get(id)).toBe(await again);
  expect(blocks.usedBytes).toBe(10);
  const gone = catalog.remove(id);
  await next(1);
  await gone;
  expect(blocks.usedBytes).toBe(0);
});
