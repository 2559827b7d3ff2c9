/** What other nodes are told of the files here: src/sharing/catalog/serving. */
import { expect, it } from "vitest";
import { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import { createBlockSource } from "../../../src/sharing/catalog/serving.ts";
import { MAX_CHUNKS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { bytesOf, Hub } from "./hub.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {} };

/** Of a node that shares one file. */
async function shareOne() {
  const [blocks, records] = [new MemoryBlockStore(), new MemoryRecords()];
  const { node } = await new Hub().join("a", { blocks, records });
  const { file } = await node.share(bytesOf(new Uint8Array(3)), { name: "x" });
  const catalog = await Catalog.open(blocks, records, log);
  const source = createBlockSource({ catalog, blocks, clock: systemClock, losses: undefined as never });
  return { source, file };
}

it("what is told of a file ends with its reader, also between one news and the next", async () => {
  const { source, file } = await shareOne();
  const reader = new AbortController();
  const news = source.haves(file.id, file.chunkCount, reader.signal)[Symbol.asyncIterator]();
  expect(await news.next()).toMatchObject({ value: { kind: "all" } });
  reader.abort();
  expect(await news.next()).toMatchObject({ done: true });
});

it("nothing is told of a file to who says that it has more chunks, or fewer: its field would be as long as the peer likes", async () => {
  const { source, file } = await shareOne();
  for (const chunkCount of [MAX_CHUNKS, 0]) {
    const news = source.haves(file.id, chunkCount, new AbortController().signal)[Symbol.asyncIterator]();
    expect(await news.next()).toMatchObject({ done: true });
  }
});
