/** Deleting: what remains is still found, and what was deleted makes room. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { GraphOptions } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";
import { addAll, clustered, linksOf, recallOf, scattered } from "./vectors.ts";

const DIMENSION = 24;

function recall(graph: HnswGraph, exact: ExactGraph, queries: Float32Array[], ef = 60): number {
  const found = queries.map((query) => graph.search(query, 10, { ef }));
  return recallOf(
    found,
    queries.map((query) => exact.search(query, 10)),
  );
}

test.each(["int8", "none"] as const)(
  "keeps its recall after half is deleted and others are added (%s)",
  (quantization) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric: "cosine", quantization });
    const exact = new ExactGraph({ dimension: DIMENSION, metric: "cosine" });
    const vectors = clustered(4000, DIMENSION, 1);
    const queries = clustered(100, DIMENSION, 2).map((query, i) =>
      query.map((x, j) => 0.3 * x + 0.7 * (vectors[i * 37]?.[j] ?? 0)),
    );
    addAll([graph, exact], vectors.slice(0, 2600));
    const before = recall(graph, exact, queries);
    for (const each of [graph, exact]) for (let id = 0; id < 2600; id += 2) each.delete(id);
    expect(graph.count).toBe(1300);
    expect(recall(graph, exact, queries)).toBeGreaterThan(0.97);
    addAll([graph, exact], vectors.slice(2600), 10_000);
    expect(graph.slotLimit).toBeLessThan(3400);
    expect(recall(graph, exact, queries)).toBeGreaterThan(Math.min(before, 0.98) - 0.01);
  },
);

test("finds the rest where the nearest thousand are deleted", () => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const vectors = clustered(5000, DIMENSION, 3, 5);
  addAll([graph, exact], vectors);
  const queries = vectors.filter((_, i) => i % 5 === 0).slice(0, 50);
  for (const each of [graph, exact]) for (let id = 0; id < 5000; id += 5) each.delete(id);
  expect(recall(graph, exact, queries)).toBeGreaterThan(0.95);
});

test("stays as large as what it holds while ids are replaced for ever", () => {
  const graph = new HnswGraph({ dimension: 8, metric: "l2" });
  const exact = new ExactGraph({ dimension: 8, metric: "l2" });
  for (let round = 0; round < 10; round++) addAll([graph, exact], clustered(400, 8, round));
  expect(graph.count).toBe(400);
  expect(graph.slotLimit).toBeLessThan(700);
  const memory = graph.memoryBytes;
  for (let round = 0; round < 10; round++) addAll([graph, exact], clustered(400, 8, 20 + round));
  expect(graph.memoryBytes).toBe(memory);
  expect(recall(graph, exact, clustered(50, 8, 99), 20)).toBeGreaterThan(0.95);
});

test("starts anew once all is deleted", () => {
  const graph = new HnswGraph({ dimension: 8, metric: "l2" });
  const vectors = clustered(500, 8, 4);
  addAll([graph], vectors);
  const fresh = graph.search(vectors[0] ?? new Float32Array(8), 10);
  for (let id = 0; id < 500; id++) expect(graph.delete(id)).toBe(true);
  expect(graph.slotLimit).toBe(0);
  addAll([graph], vectors);
  expect(graph.search(vectors[0] ?? new Float32Array(8), 10)).toEqual(fresh);
});

test.each<Omit<GraphOptions, "dimension" | "metric">>([
  { quantization: "int8" },
  { quantization: "none" },
  // More are dead in one place than a walk looks at.
  { efConstruction: 20 },
])("finds all where a cluster apart is deleted and added anew (%j)", (options) => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", ...options });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const isApart = (i: number) => i % 12 === 0;
  const vectors = clustered(3600, DIMENSION, 5, 12).map((vector, i) =>
    vector.map((x, j) => (isApart(i) && j === 0 ? x + 20 : x)),
  );
  addAll([graph, exact], vectors);
  for (const each of [graph, exact]) {
    for (const i of vectors.keys()) if (isApart(i)) each.delete(i);
    for (const [i, vector] of vectors.entries()) if (isApart(i)) each.add(i, vector);
  }
  expect(recall(graph, exact, vectors.slice(0, 120))).toBeGreaterThan(0.97);
});

test.each(["int8", "none"] as const)(
  "finds what lies far from all others when they are replaced again and again (%s)",
  (quantization) => {
    const graph = new HnswGraph({ dimension: 16, metric: "l2", quantization });
    const alone = scattered(30, 16, 6).map((vector) => vector.map((x) => 4 * x));
    const afew = clustered(24, 16, 7, 3).map((vector) => vector.map((x) => 3 * x));
    const far = [...alone, ...afew];
    addAll([graph], far);
    for (let round = 0; round < 6; round++) addAll([graph], clustered(2000, 16, round), 1000);
    const lost = far.filter((vector, id) => graph.search(vector, 1).ids[0] !== BigInt(id));
    expect(lost.length).toBeLessThan(16);
  },
);

test("finds places far from one another while others take the place of all that lie between them", () => {
  const graph = new HnswGraph({ dimension: 16, metric: "l2", quantization: "none" });
  const random = randomOf(8);
  const isLost = (id: bigint) => {
    const vector = graph.get(id) as Float32Array;
    return id % 10n === 0n && graph.search(vector, 10).ids[0] !== id;
  };
  for (let round = 0; round < 180; round++) {
    const place = 1000 * Math.floor(round / 60) + (round % 60);
    const firstId = 50 * Math.floor(40 * random());
    const vectors = scattered(random() < 0.1 ? 1000 : 50, 16, round);
    addAll(
      [graph],
      vectors.map((vector) => vector.map((x) => place + 3 * x)),
      firstId,
    );
    expect([...graph.ids()].filter(isLost), `round ${round}`).toEqual([]);
  }
});

test("links none to itself that f32 measures some way from itself", () => {
  const graph = new HnswGraph({
    dimension: 1024,
    metric: "cosine",
    quantization: "none",
    m: 4,
    efConstruction: 20,
  });
  const far = scattered(500, 4, 1).map((vector) => vector.map((x) => 1e4 * x));
  const vectors = far.map((vector) => Float32Array.from({ length: 1024 }, (_, i) => vector[i] ?? 1));
  for (const [i, vector] of vectors.entries()) graph.add(i % 100, vector);
  const live = graph.liveSlots();
  expect(linksOf(graph).filter((links, slot) => live.has(slot) && links.includes(slot))).toEqual([]);
});
