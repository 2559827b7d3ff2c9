/**
 * Every index that `npm run bench vectors` compares, behind one face. Used by vectors-child, one index a process. The
 * peers come from peers-vectors/node_modules; each is called in the way its own documentation shows, with one thread.
 */
import { rmSync } from "node:fs";
import { mkdtemp, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { locateFsArchive } from "../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../src/headless/index/fs-index-storage.ts";
import { nodeLinkThreads } from "../../src/headless/threads/link-threads.ts";
import { readConfig } from "../../src/vx/config.ts";
import { openEngine } from "../../src/vx/engine/open-engine.ts";
import type { Metric, Quantization } from "../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../src/vx/hnsw/hnsw-graph.ts";
import { MIN_M } from "../../src/vx/hnsw/limits.ts";
import type { SlotSet } from "../../src/vx/hnsw/slot-set.ts";
import { openIndexStore } from "../../src/vx/storage/open-index-store.ts";
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
  /** Missing where it can't be done here; the other half is in `openings`. */
  save?(folder: string): Promise<void>;
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
  "brute force": bruteForce,
};

/** Opens a saved index, ready to search, and gives what closes it; until then it stays. */
export type Opening = () => Promise<() => void | Promise<void>>;

/** For a process that has nothing else in it. */
export const openings: Record<string, (shape: Shape, folder: string) => Opening> = {
  "shoal, int8": (shape, folder) => openingShoal(shape, folder, "int8"),
  "shoal, f32": (shape, folder) => openingShoal(shape, folder, "none"),
  "hnswlib-node": ({ dimension, metric }, folder) => {
    const { HierarchicalNSW } = require("hnswlib-node");
    return async () => {
      const index = new HierarchicalNSW(metric, dimension);
      index.readIndexSync(join(folder, SAVED));
      return () => void index;
    };
  },
  "usearch, f32": (shape, folder) => openingUsearch(shape, folder, "f32"),
  "usearch, i8": (shape, folder) => openingUsearch(shape, folder, "i8"),
};

/** The name of peers' files. */
const SAVED = "index";

function shoal({ dimension, metric }: Shape, quantization: Quantization): MeasuredIndex {
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
    save: (folder) => saveShoal(graph, folder, { dimension, metric }),
  };
}

/** All vectors measured for each query, by the kernel's scan: what any index is to beat. */
function bruteForce({ dimension, metric }: Shape): MeasuredIndex {
  const graph = new HnswGraph({ dimension, metric, m: MIN_M, efConstruction: 1, quantization: "none" });
  let all: SlotSet;
  return {
    prepare: (rows) => rows,
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) graph.add(first + i, row as Float32Array);
    },
    finish: () => {
      all = graph.liveSlots();
    },
    setEf: () => {},
    search: (query) => graph.searchAmong(query as Float32Array, K, all).ids,
  };
}

/** As the product's snapshot: checksums, metadata (none) and all. */
async function saveShoal(graph: HnswGraph, folder: string, shape: Omit<Shape, "count">): Promise<void> {
  const facts = { ...shape, m: M, efConstruction: EF_CONSTRUCTION };
  const create = { create: facts, encryptionKey: undefined };
  const store = await openIndexStore(await openFsIndexStorage(folder), create);
  await store.load({ async graph() {}, metadata() {}, operations() {} });
  await store.replace(facts, () => ({ state: graph.exportState(), metadata: [] }));
  await store.close();
}

/** Without the start of the product's thread. */
function openingShoal({ dimension, metric }: Shape, folder: string, quantization: Quantization): Opening {
  const linkThreads = nodeLinkThreads();
  const host = { openStorage: openFsIndexStorage, locateArchive: locateFsArchive, linkThreads };
  const config = { dimension, distance: metric, quantization, storagePath: folder, persistInterval: 0 };
  return async () => {
    const engine = await openEngine(readConfig(config, false), host);
    return () => engine.close();
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
    save: async (folder) => index.writeIndexSync(join(folder, SAVED)),
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

function usearchIndex({ dimension, metric }: Shape, quantization: string, ef: number) {
  const { Index, MetricKind } = require("usearch");
  return new Index({
    dimensions: dimension,
    metric: metric === "l2" ? MetricKind.L2sq : MetricKind.Cos,
    quantization,
    connectivity: M,
    expansion_add: EF_CONSTRUCTION,
    expansion_search: ef,
    multi: false,
  });
}

function openingUsearch(shape: Shape, folder: string, quantization: string): Opening {
  return async () => {
    const index = usearchIndex(shape, quantization, 100);
    index.load(join(folder, SAVED));
    return () => void index;
  };
}

/** Its number of candidates is set when it is made: for each, the saved index is opened anew. */
function usearch(shape: Shape, quantization: string): MeasuredIndex {
  let index = usearchIndex(shape, quantization, 100);
  let file: string | undefined;
  return {
    prepare: (rows) => rows,
    add: (first, rows) => {
      for (const [i, row] of rows.entries()) index.add(BigInt(first + i), row, 1);
    },
    setEf: async (ef) => {
      if (file === undefined) {
        file = join(await ownFolder("usearch"), SAVED);
        index.save(file);
      }
      index = usearchIndex(shape, quantization, ef);
      index.load(file);
    },
    search: (query) => index.search(query, K, 1).keys,
    save: async (folder) => index.save(join(folder, SAVED)),
  };
}

/** A database on disk; its index is made once all rows are in, and ranks 3k again. */
async function lancedb({ dimension, metric, count }: Shape): Promise<MeasuredIndex> {
  const { connect, Index } = require("@lancedb/lancedb");
  const arrow = require("apache-arrow");
  const folder = await ownFolder("lancedb");
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

/** A folder that goes with this process. */
async function ownFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `shoal-bench-${name}-`));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
