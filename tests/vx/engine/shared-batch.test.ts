/** Large batches and journals where threads help: what one thread alone would hold. */
import { expect, it } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/threads/link-threads.ts";
import { readConfig } from "../../../src/vx/config.ts";
import { recordsOptions } from "../../../src/vx/engine/empty-graph.ts";
import { encodedTexts } from "../../../src/vx/engine/encoded-texts.ts";
import type { RecordBatch } from "../../../src/vx/engine/engine.ts";
import { loadRecords } from "../../../src/vx/engine/loading.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import type { LinkThreads } from "../../../src/vx/hnsw/team.ts";
import type { StoredIndex } from "../../../src/vx/storage/stored-index.ts";
import { clustered } from "../hnsw/vectors.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

const DIMENSION = 24;

/** Threads that note which of them run. */
function notedThreads(): LinkThreads & { running: Set<object> } {
  const threads = nodeLinkThreads(1) as LinkThreads;
  const running = new Set<object>();
  const start: LinkThreads["start"] = (job) => {
    const thread = threads.start(job);
    running.add(thread);
    const end = () => {
      running.delete(thread);
      thread.end();
    };
    return { ended: thread.ended, end };
  };
  return { ...threads, start, running };
}

function batchOf(count: number, version: number): RecordBatch {
  const vectors = new Float32Array(count * DIMENSION);
  for (const [i, vector] of clustered(count, DIMENSION, version).entries())
    vectors.set(vector, i * DIMENSION);
  return {
    ids: BigUint64Array.from({ length: count }, (_, i) => BigInt(i)),
    vectors,
    metadata: encodedTexts(Array.from({ length: count }, () => JSON.stringify({ version }))),
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

it("ends the threads of a backup that the index does not become", async () => {
  const disk = new MemoryDisk();
  const from = await openEngine(readConfig({ dimension: DIMENSION, storagePath: "from" }, true), disk);
  await from.add(batchOf(400, 1));
  const { path } = await from.backup({ path: "backups/large.zip", incremental: false });
  await from.close();
  const linkThreads = notedThreads();
  const engine = await openEngine(readConfig({ dimension: DIMENSION, maxElements: 300 }, true), {
    openStorage: (path: string) => disk.openStorage(path),
    locateArchive: (path: string) => disk.locateArchive(path),
    linkThreads,
  });
  await expect(engine.restore(path)).rejects.toMatchObject({ code: "capacity_exceeded" });
  expect(linkThreads.running.size).toBe(0);
  await engine.close();
});

it("ends the threads of what is damaged in the middle", async () => {
  const linkThreads = notedThreads();
  const settings = readConfig({ dimension: DIMENSION }, true);
  const facts = { dimension: DIMENSION, metric: "l2", m: 4, efConstruction: 20 } as const;
  const load: StoredIndex["load"] = async (receiver) => {
    const vectors = clustered(400, DIMENSION, 1);
    await receiver.operations(vectors.map((vector, i) => ({ kind: "add", id: BigInt(i), vector })));
    expect(linkThreads.running.size).toBe(1);
    throw new Error("damaged from here on");
  };
  const loading = loadRecords({ facts, encrypted: false, load }, recordsOptions(settings, linkThreads));
  await expect(loading).rejects.toThrow("damaged");
  expect(linkThreads.running.size).toBe(0);
});

it.each([
  ["alone", undefined],
  ["together", nodeLinkThreads(1)],
])(
  "holds no more of what batches replace again and again than of the last one, linked %s",
  async (_, linkThreads) => {
    const disk = new MemoryDisk();
    const host = {
      openStorage: (path: string) => disk.openStorage(path),
      locateArchive: (path: string) => disk.locateArchive(path),
      linkThreads,
    };
    const settings = readConfig({ dimension: DIMENSION, distance: "l2", storagePath: "index" }, true);
    const engine = await openEngine(settings, host);
    const count = 1000;
    const sizeAfter = async (version: number) => {
      await engine.add(batchOf(count, version));
      await engine.save(undefined);
      const request = { path: `backups/${version}.zip`, incremental: false, compress: false };
      return (await engine.backup(request)).sizeBytes;
    };
    const first = await sizeAfter(1);
    for (let version = 2; version < 8; version++) await sizeAfter(version);
    // Former records stay until the batch is over, and the snapshot's own slots while it is written.
    expect(await sizeAfter(8)).toBeLessThan(first * 3.2);
    const vectors = clustered(count, DIMENSION, 8);
    let found = 0;
    for (let id = 0; id < count; id += 5) {
      const { ids } = await engine.search(vectors[id] as Float32Array, { k: 1, page: 1 });
      found += ids[0] === BigInt(id) ? 1 : 0;
    }
    expect(found).toBeGreaterThan(195);
    await engine.close();
  },
);
