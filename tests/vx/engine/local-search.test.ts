/** Searches in the caller's thread: when they are made there, what they find, and that the metrics know of them. */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { afterEach, describe, expect, it } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/threads/link-threads.ts";
import { readFacets } from "../../../src/vx/arguments.ts";
import { readConfig } from "../../../src/vx/config.ts";
import { encodedTexts } from "../../../src/vx/engine/encoded-texts.ts";
import type { IndexEngine } from "../../../src/vx/engine/index-engine.ts";
import {
  LOCAL_SEARCH_REST_MS,
  LONG_LOCAL_SEARCH_MS,
  MAX_LOCAL_FILTERS,
} from "../../../src/vx/engine/limits.ts";
import { LocalSearch } from "../../../src/vx/engine/local-search.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { RemoteEngine } from "../../../src/vx/engine/remote-engine.ts";
import { serveEngine } from "../../../src/vx/engine/serve-engine.ts";
import type { LinkThreads } from "../../../src/vx/hnsw/team.ts";
import type { Narrowing } from "../../../src/vx/metadata/metadata-index.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

const DIMENSION = 4;
const query = Float32Array.of(1, 2, 3, 4);
const first = { k: 3, page: 1 };
const engines: RemoteEngine[] = [];

afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

interface Opened {
  remote: RemoteEngine;
  engine: IndexEngine;
  /** Searches that the engine was asked for. */
  asked: number;
  /** What a search takes the caller's thread, by its clock. */
  searchMs: number;
}

/** An engine that is asked by messages, as one in another thread. */
async function opened(
  threads: LinkThreads | null = nodeLinkThreads(1) as LinkThreads,
  config: Parameters<typeof readConfig>[0] = {},
): Promise<Opened> {
  const { port1, port2 } = new MessageChannel();
  const opened: Partial<Opened> & Pick<Opened, "asked" | "searchMs"> = { asked: 0, searchMs: 0.01 };
  let nowMs = 0;
  serveEngine(port2 as unknown as Endpoint, async (settings) => {
    const engine = await openEngine(
      settings,
      Object.assign(new MemoryDisk(), { linkThreads: threads ?? undefined }),
    );
    opened.engine = engine;
    const { search } = engine;
    return Object.assign(engine, {
      search: (...args: Parameters<typeof search>) => {
        opened.asked++;
        return search.apply(engine, args);
      },
    });
  });
  opened.remote = await RemoteEngine.open(
    {
      port: port1 as unknown as Endpoint,
      ended: new Promise(() => {}),
      setBusy: () => undefined,
      end: async () => port1.close(),
    },
    readConfig({ dimension: DIMENSION, distance: "l2", ...config }, true),
    new LocalSearch(() => {
      nowMs += opened.searchMs;
      return nowMs;
    }),
  );
  engines.push(opened.remote);
  return opened as Opened;
}

/** Records whose vectors lie on a line, with their round in the metadata. */
function batch(count: number, round: number) {
  return {
    ids: BigUint64Array.from({ length: count }, (_, i) => BigInt(i)),
    vectors: Float32Array.from(
      { length: count * DIMENSION },
      (_, i) => Math.floor(i / DIMENSION) + round / 10,
    ),
    metadata: encodedTexts(
      Array.from({ length: count }, (_, i) => (i % 3 === 0 ? undefined : `{"round":${round},"i":${i}}`)),
    ),
  };
}

describe("a search", () => {
  it("is made in the caller's thread, and finds what the engine would", async () => {
    const index = await opened();
    await index.remote.add(batch(500, 1));
    await index.remote.delete(2n);
    for (const range of [first, { k: 40, page: 3, pageSize: 7 }, { k: 10, page: 5, pageSize: 4 }]) {
      const found = await index.remote.search(query, range);
      expect(index.asked).toBe(0);
      expect(found).toEqual(await index.engine.search(query, range));
      index.asked = 0;
    }
    await expect(
      index.remote.search(
        query.map(() => Number.NaN),
        first,
      ),
    ).rejects.toMatchObject({
      code: "invalid_vector",
    });
    expect(index.asked).toBe(0);
  });

  it("finds each change as soon as it is acknowledged, and no part of it before", async () => {
    const index = await opened();
    await index.remote.add(batch(20_000, 1));
    let isAdded = false;
    const added = index.remote.add(batch(20_000, 2)).then(() => {
      isAdded = true;
    });
    const roundsFound = async () => {
      const { metadata } = await index.remote.search(query, { k: 30, page: 1 });
      return new Set(metadata.flatMap((text) => (text === undefined ? [] : JSON.parse(text).round)));
    };
    while (!isAdded) {
      expect((await roundsFound()).size).toBe(1);
      await nextTurn();
    }
    await added;
    // While it was applied, the engine was asked.
    expect(index.asked).toBeGreaterThan(0);
    index.asked = 0;
    expect([...(await roundsFound())]).toEqual([2]);
    await index.remote.delete(2n);
    expect((await index.remote.search(query, first)).ids).not.toContain(2n);
    expect(index.asked).toBe(0);
  });

  it("finds what was there before a change that failed", async () => {
    const index = await opened(undefined, { maxElements: 60 });
    await index.remote.add(batch(50, 1));
    const before = await index.remote.search(query, first);
    await expect(index.remote.add(batch(70, 2))).rejects.toMatchObject({ code: "capacity_exceeded" });
    expect(await index.remote.search(query, first)).toEqual(before);
    expect(index.asked).toBe(0);
  });

  it("finds what a restore brought", async () => {
    const index = await opened();
    await index.remote.add(batch(50, 1));
    const { path } = await index.remote.backup({ path: "/backups/one.zip", incremental: false });
    await index.remote.add(batch(80, 2));
    await index.remote.restore(path);
    expect((await index.remote.search(query, first)).metadata).toContain('{"round":1,"i":2}');
    await expect(index.remote.restore("/backups/none.zip")).rejects.toMatchObject({
      code: "backup_not_found",
    });
    expect((await index.remote.search(query, { k: 100, page: 1 })).ids).toHaveLength(50);
    expect(index.asked).toBe(0);
  });

  it("finds no part of a batch that is being applied when a restore is over", async () => {
    const index = await opened();
    await index.remote.add(batch(3000, 1));
    const { path } = await index.remote.backup({ path: "/backups/one.zip", incremental: false });
    const { engine, remote } = index;
    const { restore } = engine;
    let isOver = false;
    let added: Promise<void> | undefined;
    // As if its message had come before the answer to the restore was heard.
    engine.restore = async (from) => {
      const restored = await restore.call(engine, from);
      const { records } = engine;
      while (records.tend()) {}
      added = engine.add(batch(20_000, 2)).finally(() => {
        isOver = true;
      });
      // There is nothing to tend to but the change, once it is being applied.
      while (!records.tend()) await nextTurn();
      return restored;
    };
    const restored = remote.restore(path);
    let looks = 0;
    while (!isOver) {
      const { metadata } = await remote.search(query, { k: 30, page: 1 });
      const rounds = metadata.flatMap((text) => (text === undefined ? [] : JSON.parse(text).round));
      expect(new Set(rounds).size).toBe(1);
      if (added !== undefined && !isOver) looks += 1;
      await nextTurn();
    }
    await Promise.all([restored, added]);
    expect(looks).toBeGreaterThan(0);
  });

  it.each([
    ["memory is not shared", null, {}],
    ["vectors are reduced", undefined, { enableDimReduction: true, dimReductionTarget: 2 }],
  ] as const)("is made by the engine where %s", async (_, threads, config) => {
    const index = await opened(threads, config);
    await index.remote.add(batch(50, 1));
    expect((await index.remote.search(query, first)).ids).toHaveLength(3);
    expect(index.asked).toBe(1);
  });

  it("is made by the engine where it asks for more than a caller should wait for", async () => {
    const index = await opened();
    await index.remote.add(batch(1500, 1));
    expect((await index.remote.search(query, { k: 1500, page: 1 })).ids).toHaveLength(1500);
    expect(index.asked).toBe(1);
  });
});

describe("a filtered search", () => {
  const filter = { filter: "i % 4 = 1" };
  const idsOf = async (index: Opened, narrowing: Narrowing = filter) =>
    Array.from((await index.remote.search(query, first, narrowing)).ids);

  it.each<[string, Narrowing]>([
    ["a filter", filter],
    ["a long filter", { filter: filter.filter.padEnd(100_000) }],
    ["facets", { facets: { i: 4 } }],
  ])("is made in the caller's thread once it is made again: %s", async (_, narrowing) => {
    const index = await opened();
    await index.remote.add(batch(200, 1));
    const found = await idsOf(index, narrowing);
    for (let i = 0; i < 5; i++) expect(await idsOf(index, narrowing)).toEqual(found);
    expect(found.length).toBeGreaterThan(0);
    expect(index.asked).toBe(2);
  });

  it("knows of every change", async () => {
    const index = await opened();
    await index.remote.add(batch(200, 1));
    for (let i = 0; i < 4; i++) expect(await idsOf(index)).toEqual([1n, 5n, 13n]);
    await index.remote.delete(5n);
    expect(await idsOf(index)).toEqual([1n, 13n, 17n]);
    // Now the set is asked for, and comes when it is no longer right.
    const searched = idsOf(index);
    await index.remote.add({
      ids: BigUint64Array.of(2n),
      vectors: query.slice(),
      metadata: encodedTexts(['{"i":21}']),
    });
    expect(await searched).toEqual([1n, 13n, 17n]);
    for (let i = 0; i < 4; i++) expect(await idsOf(index)).toEqual([2n, 1n, 13n]);
  });

  it("is made by the engine each time where the time may change what it finds", async () => {
    const index = await opened();
    await index.remote.add(batch(200, 1));
    for (let i = 0; i < 4; i++) {
      expect(await idsOf(index, { filter: "i = 4 AND datetime('now') > '2026'" })).toEqual([4n]);
    }
    expect(index.asked).toBe(4);
  });

  it("tells facets apart that JSON does not", async () => {
    const index = await opened();
    const vectors = Float32Array.from({ length: 2 * DIMENSION }, (_, i) => i);
    const metadata = encodedTexts(['{"x":"NaN"}', '{"x":"Infinity"}']);
    await index.remote.add({ ids: BigUint64Array.of(1n, 2n), vectors, metadata });
    for (const [x, id] of [
      [Number.NaN, 1n],
      [Number.POSITIVE_INFINITY, 2n],
    ] as const) {
      for (let i = 0; i < 4; i++) expect(await idsOf(index, { facets: readFacets({ x }) })).toEqual([id]);
    }
  });

  it("is refused each time if it is none", async () => {
    const index = await opened();
    for (let i = 0; i < 4; i++) {
      await expect(idsOf(index, { filter: "i =" })).rejects.toMatchObject({ code: "invalid_query" });
    }
  });

  it("keeps no more sets than it may", async () => {
    const index = await opened();
    await index.remote.add(batch(200, 1));
    const filters = Array.from({ length: MAX_LOCAL_FILTERS + 1 }, (_, i) => ({ filter: `i > ${i}` }));
    for (const each of [...filters, ...filters]) await idsOf(index, each);
    index.asked = 0;
    for (const each of filters.slice(-3)) await idsOf(index, each);
    expect(index.asked).toBe(3);
  });
});

/** How many of so many searches, one after another, the engine is asked for. */
async function askedOf(index: Opened, searches: number): Promise<number> {
  index.asked = 0;
  for (let i = 0; i < searches; i++) await index.remote.search(query, first);
  return index.asked;
}

it("other events of the caller's thread get their turn, however many searches follow each other", async () => {
  const index = await opened();
  index.searchMs = LONG_LOCAL_SEARCH_MS / 2;
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  while (turns < 3) await index.remote.search(query, first);
  clearInterval(timer);
  const together = Array.from({ length: 100 }, () => index.remote.search(query, first));
  expect(await Promise.all(together)).toHaveLength(100);
  expect(index.asked).toBeGreaterThan(80);
});

it("a search that was disturbed changes nothing, long ones are made by the engine for a while", async () => {
  const index = await opened();
  index.searchMs = LONG_LOCAL_SEARCH_MS * 10;
  expect(await askedOf(index, 1)).toBe(0);
  await nextTurn();
  index.searchMs = 0.01;
  expect(await askedOf(index, 20)).toBe(0);
  index.searchMs = LONG_LOCAL_SEARCH_MS * 20;
  expect(await askedOf(index, 1)).toBe(0);
  await nextTurn();
  index.searchMs = 0.01;
  expect(await askedOf(index, 20)).toBe(20);
  // The clock goes on by that at each look.
  index.searchMs = LOCAL_SEARCH_REST_MS;
  expect(await askedOf(index, 1)).toBe(0);
});

it("metrics count the searches of both threads, once", async () => {
  const index = await opened();
  await index.remote.add(batch(50, 1));
  for (let i = 0; i < 300; i++) await index.remote.search(query, first);
  await index.engine.search(query, first);
  for (const _ of [1, 2]) {
    const { searches_total, search_latency_ms } = await index.remote.metrics();
    expect(searches_total).toBe(301);
    expect(search_latency_ms).toBeGreaterThan(0);
  }
});
