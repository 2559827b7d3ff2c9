/** The chunks of a download, and whether all of them are here, and where they were asked for. */
import { expect, it, vi } from "vitest";
import { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { Holding } from "../../../src/sharing/catalog/holding.ts";
import { TransferChunks } from "../../../src/sharing/download/transfer-chunks.ts";
import { importFile } from "../../../src/sharing/files/dag.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { FileOutput } from "../../../src/sharing/ports.ts";
import { UNKNOWN_SOURCE } from "../../../src/sharing/transfers/chunk-map.ts";
import { bytesOf, randomFile } from "./hub.ts";

const never = new AbortController().signal;
const output: FileOutput = {
  path: "out",
  freeBytes: async () => Number.POSITIVE_INFINITY,
  write: async () => {},
  commit: async () => {},
  discard: async () => {},
};

/** The chunks of a file of two, both of which are here. */
async function chunksOf(blocks: MemoryBlockStore, chunksByPeer = new Map<string, number>()) {
  const bytes = randomFile(2 * CHUNK_BYTES);
  const manifest = await importFile(bytesOf(bytes), (cid, block) => blocks.write(cid, block), {
    signal: never,
  });
  const record = { name: "x", sizeBytes: bytes.length, createdAt: new Date(0).toISOString() };
  const entry = new CatalogEntry(manifest.root.toString(), manifest, Holding.complete(2), record);
  return new TransferChunks(entry, blocks, { strategy: "sequential", output, chunksByPeer });
}

it("are not whole where one is found lost while the last are copied to the output", async () => {
  const blocks = new MemoryBlockStore();
  const chunks = await chunksOf(blocks);
  const { entry } = chunks;
  const read = blocks.read.bind(blocks);
  vi.spyOn(blocks, "read").mockImplementation(async (cid, ...rest) => {
    if (cid.equals(entry.manifest.chunkCid(1))) entry.holding.unmark(0);
    return await read(cid, ...rest);
  });
  expect(await chunks.areWhole(never)).toBe(false);
  chunks.findLost();
  expect([chunks.picker.missingCount, chunks.picker.isHeld(0)]).toEqual([1, false]);
  entry.holding.mark(0);
  expect(await chunks.areWhole(never)).toBe(true);
});

it("are missing again where one is lost, though another came with another file", async () => {
  const blocks = new MemoryBlockStore();
  const { entry } = await chunksOf(blocks);
  entry.holding.unmark(1);
  const chunks = new TransferChunks(entry, blocks, {
    strategy: "sequential",
    output: undefined,
    chunksByPeer: new Map(),
  });
  entry.holding.mark(1);
  entry.holding.unmark(0);
  chunks.findLost();
  expect([chunks.picker.isHeld(0), chunks.picker.missingCount]).toEqual([false, 2]);
});

it("are told of by who brought them, up to as many peers as a byte can tell apart", async () => {
  const chunksByPeer = new Map(
    Array.from({ length: UNKNOWN_SOURCE }, (_, nth): [string, number] => [`peer ${nth}`, 1]),
  );
  const chunks = await chunksOf(new MemoryBlockStore(), chunksByPeer);
  chunks.credit(0, "peer 254");
  expect([...chunks.sources]).toEqual([254, UNKNOWN_SOURCE]);
  for (const peerId of ["peer 255", "peer 256"]) chunks.credit(1, peerId);
  expect([...chunks.sources]).toEqual([254, UNKNOWN_SOURCE]);
  expect([...chunksByPeer].slice(254)).toEqual([
    ["peer 254", 2],
    ["peer 255", 1],
    ["peer 256", 1],
  ]);
});
