/** The copy of a download outside the chunk store, chunk by chunk. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CatalogEntry } from "../../../src/sharing/catalog-entry.ts";
import { importFile } from "../../../src/sharing/dag.ts";
import { Holding } from "../../../src/sharing/holding.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory-block-store.ts";
import { OutputCopy } from "../../../src/sharing/output-copy.ts";
import type { FileOutput } from "../../../src/sharing/ports.ts";
import { bytesOf, randomFile } from "./hub.ts";

const never = new AbortController().signal;

/** The copy of a file of two chunks of which none is held yet. */
async function openCopy() {
  const bytes = randomFile(CHUNK_BYTES + 3);
  const manifest = await importFile(bytesOf(bytes), async () => {}, { signal: never });
  const record = { name: "x", sizeBytes: bytes.length, createdAt: new Date(0).toISOString() };
  const entry = new CatalogEntry(manifest.root.toString(), manifest, new Holding(2), record);
  const written: number[] = [];
  const output: FileOutput = {
    path: "out",
    write: async (offset) => void written.push(offset),
    commit: async () => {},
    discard: async () => {},
  };
  const copy = new OutputCopy(output, entry, new MemoryBlockStore());
  return { copy, entry, written, last: bytes.subarray(CHUNK_BYTES) };
}

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest());

describe("a chunk that is held and written already", () => {
  it("is verified when it comes again, by its hash where that was made, and not written again", async () => {
    const { copy, entry, written, last } = await openCopy();
    await copy.store(1, last, {});
    entry.holding.mark(1);
    await copy.store(1, last, {});
    await copy.store(1, last, { sha256: sha256(last) });
    const garbage = new Uint8Array(last.length);
    for (const options of [{}, { sha256: sha256(garbage) }]) {
      await expect(copy.store(1, garbage, options)).rejects.toMatchObject({ name: "hash_mismatch" });
    }
    expect(written).toEqual([CHUNK_BYTES]);
  });
});
