import { describe, expect, it } from "vitest";
import { Catalog } from "../../../src/sharing/catalog.ts";
import { ChunkBuffers } from "../../../src/sharing/chunk-buffers.ts";
import { importFile } from "../../../src/sharing/dag.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory-records.ts";
import { bytesOf, randomFile } from "./hub.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {} };

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
});
