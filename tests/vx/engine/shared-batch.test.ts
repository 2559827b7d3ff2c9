/** Large batches and journals where threads help: what one thread alone would hold. */
import { expect, it } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/link-threads.ts";
import { readConfig } from "../../../src/vx/config.ts";
import type { RecordBatch } from "../../../src/vx/engine/engine.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { toTexts } from "../../../src/vx/engine/texts.ts";
import { clustered } from "../hnsw/vectors.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

const DIMENSION = 24;

function batchOf(count: number, version: number): RecordBatch {
  const vectors = new Float32Array(count * DIMENSION);
  for (const [i, vector] of clustered(count, DIMENSION, version).entries())
    vectors.set(vector, i * DIMENSION);
  return {
    ids: BigUint64Array.from({ length: count }, (_, i) => BigInt(i)),
    vectors,
    metadata: toTexts(Array.from({ length: count }, () => JSON.stringify({ version }))),
  };
}

it("holds a batch that replaced another, at once and after it is loaded from the journal", async () => {
  const disk = new MemoryDisk();
  const host = {
    openStorage: (path: string) => disk.openStorage(path),
    locateArchive: (path: string) => disk.locateArchive(path),
    linkThreads: nodeLinkThreads(1),
  };
  const settings = readConfig({ dimension: DIMENSION, distance: "l2", storagePath: "index" }, true);
  const engine = await openEngine(settings, host);
  await engine.add(batchOf(600, 1));
  const replacing = engine.add(batchOf(2400, 2));
  const vectors = clustered(2400, DIMENSION, 2);
  await replacing;
  const check = async (opened: typeof engine) => {
    expect(await opened.metrics()).toMatchObject({ vector_count: 2400 });
    let found = 0;
    for (let id = 0; id < 2400; id += 10) {
      const { ids, metadata } = await opened.search(vectors[id] as Float32Array, { k: 1, page: 1 });
      found += ids[0] === BigInt(id) ? 1 : 0;
      expect(metadata).toEqual(['{"version":2}']);
    }
    expect(found).toBeGreaterThan(235);
  };
  await check(engine);
  // So little is not put into a snapshot by closing.
  await engine.close();
  const again = await openEngine(settings, host);
  await check(again);
  await again.close();
});

it("finds all of a batch that replaced all but a few, and those few", async () => {
  const count = 8000;
  const kept = 40;
  const disk = new MemoryDisk();
  const engine = await openEngine(readConfig({ dimension: DIMENSION, distance: "l2" }, true), {
    openStorage: (path: string) => disk.openStorage(path),
    locateArchive: (path: string) => disk.locateArchive(path),
    linkThreads: nodeLinkThreads(1),
  });
  await engine.add(batchOf(count, 1));
  const { ids, vectors } = batchOf(count, 2);
  await engine.add({ ids: ids.slice(kept), vectors: vectors.slice(kept * DIMENSION) });
  const [before, after] = [clustered(count, DIMENSION, 1), clustered(count, DIMENSION, 2)];
  let found = 0;
  for (let id = 0; id < 10 * kept; id++) {
    const vector = (id < kept ? before : after)[id] as Float32Array;
    const nearest = await engine.search(vector, { k: 1, page: 1 });
    if (nearest.ids[0] === BigInt(id)) found += 1;
  }
  expect(found).toBeGreaterThan(9.9 * kept);
  await engine.close();
});
