import { describe, expect, it, vi } from "vitest";
import { Catalog } from "../../../src/sharing/catalog.ts";
import { ChunkBuffers } from "../../../src/sharing/chunk-buffers.ts";
import { importFile } from "../../../src/sharing/dag.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory-records.ts";
import { bytesOf, randomFile } from "./hub.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {} };

/** A catalog with a file of two chunks, of which nothing is stored. */
async function partial() {
  const [records, blocks] = [new MemoryRecords(), new MemoryBlockStore()];
  const catalog = await Catalog.open(blocks, records, silent);
  const { signal } = new AbortController();
  const manifest = await importFile(bytesOf(new Uint8Array(CHUNK_BYTES + 1)), async () => {}, { signal });
  const entry = await catalog.addPartial(manifest, [], { name: "x", createdAt: new Date(1) });
  return { records, blocks, catalog, manifest, entry };
}

describe("the catalog", () => {
  it("keeps nothing of a file that was removed before it was found to be complete, or got a name", async () => {
    const records = new MemoryRecords();
    const catalog = await Catalog.open(new MemoryBlockStore(), records, silent);
    const { signal } = new AbortController();
    const buffers = new ChunkBuffers();
    const manifest = await importFile(bytesOf(randomFile(10)), async () => {}, { signal, buffers });
    const entry = await catalog.addPartial(manifest, [], { name: "x", createdAt: new Date() });
    await catalog.remove(entry.id);
    await catalog.completed(entry);
    await catalog.rename(entry, "y");
    const kept = [];
    for await (const [id] of records.entries("files")) kept.push(id);
    expect(kept).toEqual([]);
  });

  it("calls a file what it was called before its manifest was lost", async () => {
    const { records, blocks, manifest, entry } = await partial();
    const again = await Catalog.open(blocks, records, silent);
    expect(again.isBroken(entry.id)).toBe(true);
    const { name, createdAt } = await again.addPartial(manifest, [], { name: "y", createdAt: new Date(5) });
    expect({ name, createdAt }).toEqual({ name: "x", createdAt: new Date(1) });
  });

  it("takes nothing for kept that could not be", async () => {
    const { catalog, records, entry } = await partial();
    const full = vi.spyOn(records, "put").mockRejectedValue(new Error("the disk is full"));
    await expect(catalog.completed(entry)).rejects.toThrow("the disk is full");
    await expect(catalog.rename(entry, "y")).rejects.toThrow("the disk is full");
    expect([entry.wasComplete, entry.name]).toEqual([false, "x"]);
    full.mockRestore();
    await catalog.completed(entry);
    await catalog.rename(entry, "y");
    expect(await records.get("files", entry.id)).toMatchObject({ wasComplete: true, name: "y" });
  });
});
