/** How much of the truth the graph finds, by metric, dimension, links and kind of walk. */
import { describe, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { GraphOptions } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, clustered, listOf, recallOf, scattered } from "./vectors.ts";

/** More than a search scans at this ef: what is measured is a walk. */
const COUNT = 1500;
const EF = 60;

test.each<GraphOptions>([
  { dimension: 2, metric: "l2" },
  { dimension: 16, metric: "l2", m: 8 },
  { dimension: 16, metric: "cosine", m: 32 },
  { dimension: 37, metric: "cosine" },
  { dimension: 100, metric: "l2", quantization: "none" },
  { dimension: 100, metric: "cosine", quantization: "none" },
  { dimension: 200, metric: "cosine", efConstruction: 100 },
])("finds 97 % of the nearest with %j", (options) => {
  const vectors = clustered(COUNT, options.dimension, 1);
  const queries = clustered(100, options.dimension, 1 << 20).map((query, i) =>
    query.map((x, j) => 0.5 * x + 0.5 * (vectors[i]?.[j] ?? 0)),
  );
  const graph = new HnswGraph(options);
  const exact = new ExactGraph(options);
  addAll([graph, exact], vectors);
  const found = queries.map((query) => graph.search(query, 10, { ef: EF }));
  const truth = queries.map((query) => exact.search(query, 10));
  expect(recallOf(found, truth)).toBeGreaterThan(0.97);
  for (const [i, { distances }] of found.entries()) {
    expect([...distances]).toEqual([...distances].sort((a, b) => a - b));
    expect(distances[0]).toBeGreaterThanOrEqual((truth[i]?.distances[0] ?? 0) * (1 - 1e-6));
  }
});

test("gives the distance that the exact twin gives, to the last bit but one", () => {
  for (const metric of ["cosine", "l2"] as const) {
    const graph = new HnswGraph({ dimension: 19, metric });
    const exact = new ExactGraph({ dimension: 19, metric });
    addAll([graph, exact], scattered(200, 19, 3));
    for (const query of scattered(20, 19, 4)) {
      const truth = new Map(listOf(exact.search(query, 200)).map(({ id, distance }) => [id, distance]));
      for (const { id, distance } of listOf(graph.search(query, 200))) {
        expect(Math.abs(distance / (truth.get(id) ?? Number.NaN) - 1)).toBeLessThan(2 ** -23);
      }
    }
  }
});

test("gives k results for every k up to all it holds", () => {
  const graph = new HnswGraph({ dimension: 8, metric: "l2" });
  addAll([graph], clustered(COUNT, 8, 5));
  for (const k of [1, 7, 100, 1499, 1500, 3000]) {
    const { ids } = graph.search(new Float32Array(8), k, { ef: 10 });
    expect(new Set(ids).size).toBe(Math.min(k, COUNT));
  }
});

test.each(["cosine", "l2"] as const)("finds what lies beyond a crowd of equal vectors under %s", (metric) => {
  const graph = new HnswGraph({ dimension: 12, metric });
  const exact = new ExactGraph({ dimension: 12, metric });
  const others = clustered(1200, 12, 6);
  const [twin] = scattered(1, 12, 7);
  const crowd = Array.from({ length: 600 }, () => twin ?? new Float32Array(12));
  addAll([graph, exact], others.slice(0, 600));
  addAll([graph, exact], crowd, 10_000);
  addAll([graph, exact], others.slice(600), 20_000);
  const queries = [...clustered(60, 12, 8), ...crowd.slice(0, 1)];
  const found = queries.map((query) => graph.search(query, 20, { ef: 80 }));
  expect(
    recallOf(
      found,
      queries.map((query) => exact.search(query, 20)),
    ),
  ).toBeGreaterThan(0.95);
  expect(listOf(found.at(-1) ?? { ids: new BigUint64Array(), distances: new Float32Array() })).toSatisfy(
    (list: { distance: number }[]) => list.length === 20 && list.every(({ distance }) => distance < 1e-6),
  );
});

describe.each(["int8", "none"] as const)(
  "of vectors that are there a hundred times and more (%s)",
  (quantization) => {
    const kinds = scattered(10, 12, 9);
    const vectors = scattered(4500, 12, 10).map((vector, i) =>
      i % 3 === 0 ? (kinds[(i / 3) % 10] ?? vector) : vector,
    );
    const share = (graph: HnswGraph, k: number) => {
      const found = kinds.flatMap((kind) => [...graph.search(kind, k, { ef: 100 }).distances]);
      return found.filter((distance) => distance < 1e-3).length / (10 * k);
    };

    test.each(["cosine", "l2"] as const)("finds as many as are asked for under %s", (metric) => {
      const graph = new HnswGraph({ dimension: 12, metric, quantization, efConstruction: 100 });
      addAll([graph], vectors);
      expect(share(graph, 100)).toBeGreaterThan(0.98);
    });

    test.each(["cosine", "l2"] as const)("finds them when the older half is deleted under %s", (metric) => {
      const graph = new HnswGraph({ dimension: 12, metric, quantization, efConstruction: 100 });
      addAll([graph], vectors);
      for (let id = 0; id < 2250; id++) graph.delete(id);
      expect(share(graph, 10)).toBe(1);
      expect(share(graph, 70)).toBeGreaterThan(0.9);
    });
  },
);
