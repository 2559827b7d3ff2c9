/** Batches that take many turns, seen by who reads meanwhile. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import { encodedTexts } from "../../../src/vx/engine/encoded-texts.ts";
import type { RecordBatch } from "../../../src/vx/engine/engine.ts";
import type { IndexEngine } from "../../../src/vx/engine/index-engine.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import type { Metric } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { TurnClock } from "../../../src/vx/turn-clock.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { clustered } from "../hnsw/vectors.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

const DIMENSION = 24;
const OLD = 400;
const NEW = 2500;

function batchOf(count: number, version: number): RecordBatch {
  const vectors = clustered(count, DIMENSION, version);
  return {
    ids: BigUint64Array.from({ length: count }, (_, i) => BigInt(i)),
    vectors: Float32Array.from({ length: count * DIMENSION }, (_, i) => {
      return vectors[Math.floor(i / DIMENSION)]?.[i % DIMENSION] as number;
    }),
    metadata: encodedTexts(
      Array.from({ length: count }, (_, i) => JSON.stringify({ version, even: i % 2 === 0 })),
    ),
  };
}

/** Old ids 0 to 399, then a batch that replaces all of them and adds more. */
async function opened(distance: Metric, storagePath?: string, disk = new MemoryDisk()): Promise<IndexEngine> {
  return openEngine(readConfig({ dimension: DIMENSION, distance, storagePath }, true), disk);
}

/** Settles when a batch begins to be applied, or so many records of it are in the graph. */
function nextInsertion(count = 1): Promise<void> {
  const { add } = HnswGraph.prototype;
  let left = count;
  return new Promise((resolve) => {
    const spy = vi.spyOn(HnswGraph.prototype, "add").mockImplementation(function (this: HnswGraph, ...args) {
      left -= 1;
      if (left > 0) return add.apply(this, args);
      spy.mockRestore();
      resolve();
      return add.apply(this, args);
    });
  });
}

const query = clustered(1, DIMENSION, 3)[0] as Float32Array;
const negative = clustered(2, DIMENSION, 4)[1] as Float32Array;
const range = { k: 50, page: 1 };

function versionsIn(metadata: (string | undefined)[]): number[] {
  return [...new Set(metadata.map((text) => JSON.parse(text ?? "{}").version as number))];
}

/** Each way of reading: the versions it saw. */
const readers: Record<string, (engine: IndexEngine) => Promise<number[]>> = {
  search: async (engine) => versionsIn((await engine.search(query, range)).metadata),
  negatives: async (engine) => versionsIn((await engine.searchNegatives(query, [negative], range)).metadata),
  filter: async (engine) => versionsIn((await engine.search(query, range, { filter: "even" })).metadata),
  facets: async (engine) =>
    versionsIn((await engine.search(query, range, { facets: { even: false } })).metadata),
  get: async (engine) => versionsIn([(await engine.get(7n))?.metadata]),
  count: async (engine) => [(await engine.metrics()).vector_count === OLD ? 1 : 2],
};

describe("a batch of many turns", () => {
  it("has SQLite start in a turn of its own", async () => {
    const engine = await opened("l2");
    const turns: string[] = [];
    const noted = [
      vi.spyOn(TurnClock.prototype, "next").mockImplementation(async () => void turns.push("next")),
      vi.spyOn(MetadataIndex.prototype, "start").mockImplementation(() => void turns.push("start")),
      vi.spyOn(MetadataIndex.prototype, "setAll").mockImplementation(() => void turns.push("rows")),
    ];
    onTestFinished(() => noted.forEach((spy) => void spy.mockRestore()));
    await engine.add(batchOf(NEW, 1));
    const at = turns.indexOf("start");
    expect(turns.slice(at - 1, at + 3)).toEqual(["next", "start", "next", "rows"]);
    await engine.close();
  });

  it("writes a hundred rows of metadata between two chances of a pause", async () => {
    const engine = await opened("l2");
    const setAll = vi.spyOn(MetadataIndex.prototype, "setAll");
    onTestFinished(() => setAll.mockRestore());
    await engine.add(batchOf(NEW, 1));
    const rows = setAll.mock.calls.map(([records]) => [...records].length);
    expect(rows).toEqual(Array(NEW / 100).fill(100));
    await engine.close();
  });

  it("is applied in turns also after a change of nothing", async () => {
    const engine = await opened("l2");
    const start = vi.spyOn(MetadataIndex.prototype, "start");
    onTestFinished(() => start.mockRestore());
    // As a fit makes it, of records that have all changed since.
    await engine.records.apply([]);
    for (const version of [1, 2]) await engine.add(batchOf(NEW, version));
    expect(start).toHaveBeenCalledTimes(2);
    await engine.close();
  });

  it.each<Metric>(["cosine", "l2"])(
    "is seen whole or not at all by any reader, under %s",
    async (distance) => {
      const engine = await opened(distance);
      await engine.add(batchOf(OLD, 1));
      let isOver = false;
      const adding = engine.add(batchOf(NEW, 2)).then(() => {
        isOver = true;
      });
      const seen = new Map(Object.keys(readers).map((name) => [name, [] as number[]]));
      while (!isOver) {
        await nextTurn();
        for (const [name, read] of Object.entries(readers)) {
          const versions = await read(engine);
          expect(versions, name).toHaveLength(1);
          seen.get(name)?.push(versions[0] as number);
        }
      }
      await adding;
      for (const [name, versions] of seen) {
        expect(
          versions.filter((version) => version === 1).length,
          `${name} while it goes on`,
        ).toBeGreaterThan(1);
        expect(versions, `${name} never goes back`).toEqual(versions.toSorted());
        expect(await readers[name]?.(engine)).toEqual([2]);
      }
      await engine.close();
    },
  );

  it("is whole to listings and SQL, which wait for it", async () => {
    const engine = await opened("l2");
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion();
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    const [{ total }, { rows }] = await Promise.all([
      engine.list(0, 10),
      engine.queryMetadata("SELECT DISTINCT version FROM metadata"),
    ]);
    expect(total).toBe(NEW);
    expect(rows).toEqual([{ version: 2 }]);
    await adding;
    await engine.close();
  });

  it("finds all old records by a filter that only they pass, while it replaces them", async () => {
    const engine = await opened("l2");
    await engine.add(batchOf(OLD, 1));
    const exact = await engine.search(query, { k: OLD, page: 1 });
    const begun = nextInsertion();
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    const found = await engine.search(query, { k: OLD, page: 1 }, { filter: "version = 1" });
    expect(found.ids).toEqual(exact.ids);
    await adding;
    expect((await engine.search(query, range, { filter: "version = 1" })).ids).toHaveLength(0);
    await engine.close();
  });

  it("shows a filter no record that it replaces and that does not pass", async () => {
    const engine = await opened("l2");
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion(100);
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    const { ids } = await engine.search(query, { k: OLD, page: 1 }, { filter: "even AND version = 1" });
    expect(ids).toHaveLength(OLD / 2);
    expect(ids.every((id) => id % 2n === 0n)).toBe(true);
    await adding;
    await engine.close();
  });

  it("has records deleted in their turn that it is still to bring", async () => {
    const engine = await opened("l2");
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion();
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    expect(await engine.delete(BigInt(NEW - 1))).toBe(true);
    await adding;
    expect((await engine.metrics()).vector_count).toBe(NEW - 1);
    await engine.close();
  });

  it("takes no place among what searches with negatives find, however near it is", async () => {
    const engine = await opened("l2");
    await engine.add(batchOf(OLD, 1));
    const before = await engine.searchNegatives(query, [negative], range);
    const near = batchOf(NEW, 2);
    near.ids = near.ids.map((id) => id + 1000n);
    near.vectors = near.vectors.map((x, i) => (query[i % DIMENSION] as number) + x / 1000);
    const begun = nextInsertion(100);
    const adding = engine.add(near);
    await begun;
    expect(await engine.searchNegatives(query, [negative], range)).toEqual(before);
    await adding;
    expect((await engine.searchNegatives(query, [negative], range)).ids).not.toEqual(before.ids);
    await engine.close();
  });

  it("is in no snapshot by half: what is loaded is what was acknowledged", async () => {
    const disk = new MemoryDisk();
    const engine = await opened("l2", "disk/index", disk);
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion();
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    await engine.save(undefined);
    await adding;
    await engine.delete(11n);
    const before = await engine.queryMetadata("SELECT id, version, even FROM metadata ORDER BY id");
    const nearest = await engine.search(query, range);
    await engine.close();
    const again = await opened("l2", "disk/index", disk);
    expect(await again.queryMetadata("SELECT id, version, even FROM metadata ORDER BY id")).toEqual(before);
    expect((await again.search(query, range)).distances[0]).toBe(nearest.distances[0]);
    expect((await again.metrics()).vector_count).toBe(NEW - 1);
    await again.close();
  });

  it("is stored where it is still checked when the index is closed", async () => {
    const disk = new MemoryDisk();
    const engine = await opened("l2", "disk/index", disk);
    const over = vi.spyOn(TurnClock.prototype, "isOver", "get").mockReturnValue(true);
    onTestFinished(() => over.mockRestore());
    await Promise.all([engine.add(batchOf(50, 1)), engine.close()]);
    const again = await opened("l2", "disk/index", disk);
    expect((await again.metrics()).vector_count).toBe(50);
    await again.close();
  });

  it("is left in part by closing, and whole after the next opening", async () => {
    const disk = new MemoryDisk();
    const engine = await opened("l2", "disk/index", disk);
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion();
    const adding = [engine.add(batchOf(NEW, 2))];
    await begun;
    const inserting = vi.spyOn(HnswGraph.prototype, "add");
    adding.push(engine.add(batchOf(10, 3)));
    await nextTurn();
    const deleting = [11n, 11n, BigInt(NEW - 1)].map((id) => engine.delete(id));
    await engine.close();
    // Of those that are left to the next opening, too, each finds what the last one made.
    expect(await Promise.all(deleting)).toEqual([true, false, true]);
    await Promise.all(adding);
    expect(inserting.mock.calls.length).toBeLessThan(NEW);
    inserting.mockRestore();
    const again = await opened("l2", "disk/index", disk);
    const { rows } = await again.queryMetadata(
      "SELECT version, count(*) AS n FROM metadata GROUP BY version",
    );
    expect(rows).toEqual([
      { version: 2, n: NEW - 12 },
      { version: 3, n: 10 },
    ]);
    expect((await again.metrics()).vector_count).toBe(NEW - 2);
    await again.close();
  });

  it("that closing leaves in part is in no copy, listing or answer of SQL, and searches go on past it", async () => {
    const disk = new MemoryDisk();
    const engine = await opened("l2", undefined, disk);
    await engine.add(batchOf(OLD, 1));
    const begun = nextInsertion();
    const adding = engine.add(batchOf(NEW, 2));
    await begun;
    const whole = [
      engine.save("disk/copy"),
      engine.backup({ path: "disk/backups/a.zip", incremental: false }),
      engine.list(0, 10),
      engine.queryMetadata("SELECT id FROM metadata"),
    ];
    const [outcomes] = await Promise.all([Promise.allSettled(whole), engine.close(), adding]);
    const refusal = { code: "unavailable", message: "The index is closed" };
    expect(outcomes).toEqual(
      whole.map(() => ({ status: "rejected", reason: expect.objectContaining(refusal) })),
    );
    expect(disk.archivesIn("disk/backups")).toEqual([]);
    for (const [name, read] of Object.entries(readers)) expect(await read(engine), name).toEqual([1]);
  });
});
