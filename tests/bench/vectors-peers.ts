/**
 * Every index that `npm run bench vectors` compares, behind one face. Used by vectors-child, one index a process. The
 * peers come from peers-vectors/node_modules; each is called in the way its own documentation shows, with one thread.
 */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { locateFsArchive, openFsIndexStorage } from "../../src/headless/fs-index-storage.ts";
import { nodeLinkThreads } from "../../src/headless/link-threads.ts";
import { readConfig } from "../../src/vx/config.ts";
import { openEngine } from "../../src/vx/engine/open-engine.ts";
import type { Metric } from "../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../src/vx/hnsw/hnsw-graph.ts";
import { K } from "./vectors-data.ts";

export const M = 16;
export const EF_CONSTRUCTION = 200;

export interface Shape {
  dimension: number;
  metric: Metric;
  count: number;
}

/** What is measured. Rows are numbered from 0 in the order in which they are added. */
export interface MeasuredIndex {
  /** Brings rows into the form that `add` takes; not timed. */
  prepare(rows: Float32Array[]): unknown[];
  add(first: number, prepared: unknown[]): void | Promise<void>;
  /** After the last row. */
  finish?(): void | Promise<void>;
  /** Before queries with that many candidates. */
  setEf(ef: number): void | Promise<void>;
  search(prepared: unknown): ArrayLike<number | bigint> | Promise<ArrayLike<number | bigint>>;
  /** Bytes that the index itself counts, where the process's growth would not show them. */
  bytes?(): number;
  /** Saves it, then gives what opens it again, ready to search; undefined where it can't be done here. */
  reopening?(folder: string): Promise<(() => Promise<void>) | undefined>;
}

const require = createRequire(join(import.meta.dirname, "peers-vectors/package.json"));

export const indexes: Record<string, (shape: Shape) => MeasuredIndex | Promise<MeasuredIndex>> = {
  "shoal, int8": (shape) => shoal(shape, "int8"),
  "shoal, f32": (shape) => shoal(shape, "none"),
  "hnswlib-node": hnswlibNode,
  "usearch, f32": (shape) => usearch(shape, "f32"),
  "usearch, i8": (shape) => usearch(shape, "i8"),
  "hnswlib-wasm": hnswlibWasm,
  "LanceDB, HNSW_SQ": lancedb,
};

function shoal({ dimension, metric }: Shape, quantization: "int8" | "none"): MeasuredIndex {
  const graph = new HnswGraph({ dimension, metric, m: M, efConstruction: EF_CONSTRUCTION, quantization });
  let ef = 0;
  return {
    prepare: (rows) => rows,
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) graph.add(first + i, row as Float32Array);
    },
    setEf: (wanted) => {
      ef = wanted;
    },
    search: (query) => graph.search(query as Float32Array, K, { ef }).ids,
    bytes: () => graph.memoryBytes,
    reopening: (folder) => reopeningEngine(graph, folder, { dimension, metric }),
  };
}

/** Load is that of the product: snapshot with checksums, metadata and all, without the start of a thread. */
async function reopeningEngine(
  graph: HnswGraph,
  folder: string,
  { dimension, metric }: Pick<Shape, "dimension" | "metric">,
): Promise<() => Promise<void>> {
  const linkThreads = nodeLinkThreads();
  const host = { openStorage: openFsIndexStorage, locateArchive: locateFsArchive, linkThreads };
  const config = {
    dimension,
    distance: metric,
    storagePath: await mkdtemp(join(folder, "vx-")),
    persistInterval: 0,
  };
  const { openIndexStore } = await import("../../src/vx/storage/open-index-store.ts");
  const facts = { dimension, metric, m: M, efConstruction: EF_CONSTRUCTION };
  const store = await openIndexStore(await openFsIndexStorage(config.storagePath), {
    create: facts,
    encryptionKey: undefined,
  });
  await store.load({ async graph() {}, metadata() {}, operations() {} });
  await store.replace(facts, () => ({ state: graph.exportState(), metadata: [] }));
  await store.close();
  return async () => {
    const engine = await openEngine(readConfig(config, false), host);
    await engine.close();
  };
}

function hnswlibNode({ dimension, metric, count }: Shape): MeasuredIndex {
  const { HierarchicalNSW } = require("hnswlib-node");
  const index = new HierarchicalNSW(metric, dimension);
  index.initIndex(count, M, EF_CONSTRUCTION, 100);
  return {
    prepare: (rows) => rows.map((row) => Array.from(row)),
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) index.addPoint(row, first + i);
    },
    setEf: (ef) => index.setEf(ef),
    search: (query) => index.searchKnn(query, K).neighbors,
    reopening: async (folder) => {
      const file = join(folder, "hnswlib");
      index.writeIndexSync(file);
      return async () => new HierarchicalNSW(metric, dimension).readIndexSync(file);
    },
  };
}

const wasmFolder = join(import.meta.dirname, "peers-vectors/node_modules/hnswlib-wasm/dist");

async function hnswlibWasm({ dimension, metric, count }: Shape): Promise<MeasuredIndex> {
  const [file] = (await readdir(wasmFolder)).filter((name) => /^hnswlib-[0-9a-f]+\.js$/.test(name));
  // It was compiled for pages: on Node.js it wants to see a window, and its loader an IndexedDB.
  Object.assign(globalThis, { window: { location: { href: "" } } });
  const { default: load } = await import(pathToFileURL(join(wasmFolder, file as string)).href);
  const library = await load();
  const index = new library.HierarchicalNSW(metric, dimension, "");
  index.initIndex(count, M, EF_CONSTRUCTION, 100);
  return {
    prepare: (rows) => rows.map((row) => Array.from(row)),
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) index.addPoint(row, first + i, false);
    },
    setEf: (ef) => index.setEfSearch(ef),
    search: (query) => index.searchKnn(query, K, undefined).neighbors,
  };
}

/** Its number of candidates is set when it is made: for each, the saved index is opened anew. */
function usearch({ dimension, metric }: Shape, quantization: string): MeasuredIndex {
  const { Index, MetricKind } = require("usearch");
  const make = (ef: number) =>
    new Index({
      dimensions: dimension,
      metric: metric === "l2" ? MetricKind.L2sq : MetricKind.Cos,
      quantization,
      connectivity: M,
      expansion_add: EF_CONSTRUCTION,
      expansion_search: ef,
      multi: false,
    });
  let index = make(100);
  let file: string | undefined;
  return {
    prepare: (rows) => rows,
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) index.add(BigInt(first + i), row, 1);
    },
    setEf: async (ef) => {
      if (file === undefined) {
        file = join(await mkdtemp(join(tmpdir(), "shoal-bench-usearch-")), "index");
        index.save(file);
      }
      index = make(ef);
      index.load(file);
    },
    search: (query) => index.search(query, K, 1).keys,
    reopening: async () => {
      if (file === undefined) return undefined;
      const saved = file;
      return async () => make(100).load(saved);
    },
  };
}

/** A database on disk; its index is made once all rows are in, and ranks 3k again. */
async function lancedb({ dimension, metric, count }: Shape): Promise<MeasuredIndex> {
  const { connect, Index } = require("@lancedb/lancedb");
  const arrow = require("apache-arrow");
  const folder = await mkdtemp(join(tmpdir(), "shoal-bench-lancedb-"));
  process.once("exit", () => void rm(folder, { recursive: true, force: true }));
  const database = await connect(folder);
  const vectors = new Float32Array(count * dimension);
  // biome-ignore lint/suspicious/noExplicitAny: the package has its types elsewhere
  let opened: any;
  let ef = 0;
  return {
    prepare: (rows) => rows,
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) vectors.set(row as Float32Array, (first + i) * dimension);
    },
    finish: async () => {
      const child = arrow.makeData({ type: new arrow.Float32(), data: vectors });
      const type = new arrow.FixedSizeList(dimension, new arrow.Field("item", new arrow.Float32(), true));
      const list = arrow.makeVector(arrow.makeData({ type, length: count, nullCount: 0, child }));
      const id = arrow.makeVector(Uint32Array.from({ length: count }, (_, i) => i));
      opened = await database.createTable("vectors", new arrow.Table({ id, vector: list }));
      const config = { distanceType: metric, numPartitions: 1, m: M, efConstruction: EF_CONSTRUCTION };
      await opened.createIndex("vector", { config: Index.hnswSq(config) });
    },
    setEf: (wanted) => {
      ef = wanted;
    },
    search: async (query) => {
      const asked = opened
        .query()
        .nearestTo(query)
        .distanceType(metric)
        .ef(Math.max(ef, K * 3));
      const found = await asked.refineFactor(3).limit(K).select(["id", "_distance"]).toArrow();
      return found.getChild("id").toArray();
    },
  };
}
