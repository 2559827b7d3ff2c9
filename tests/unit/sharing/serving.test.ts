import { expect, it } from "vitest";
import { Catalog } from "../../../src/sharing/catalog.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory-records.ts";
import { createBlockSource } from "../../../src/sharing/serving.ts";
import { bytesOf, Hub, realClock } from "./hub.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {} };

it("what is told of a file ends with its reader, also between one news and the next", async () => {
  const [blocks, records] = [new MemoryBlockStore(), new MemoryRecords()];
  const { node } = await new Hub().join("a", { blocks, records });
  const { file } = await node.share(bytesOf(new Uint8Array(3)), { name: "x" });
  const catalog = await Catalog.open(blocks, records, log);
  const source = createBlockSource({ catalog, blocks, clock: realClock, losses: undefined as never });
  const reader = new AbortController();
  const news = source.haves(file.id, reader.signal)[Symbol.asyncIterator]();
  expect(await news.next()).toMatchObject({ value: { kind: "all" } });
  reader.abort();
  expect(await news.next()).toMatchObject({ done: true });
});
