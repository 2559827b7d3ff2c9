/** Search with negatives ranks by its score over all vectors, not over the nearest of the positive. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, clustered, scattered } from "./vectors.ts";

const COUNT = 4000;

const data = { clustered: clustered(COUNT, 20, 1), scattered: scattered(COUNT, 20, 2) };

test.each([
  ["cosine", "clustered", 1],
  ["cosine", "clustered", 5],
  ["cosine", "scattered", 3],
  ["l2", "clustered", 1],
  ["l2", "clustered", 5],
  ["l2", "scattered", 1],
  ["l2", "scattered", 4],
] as const)(
  "finds nearly all of the highest scores under %s among %s vectors with %i negatives",
  (metric, kind, count) => {
    const vectors = data[kind];
    const graph = new HnswGraph({ dimension: 20, metric });
    const exact = new ExactGraph({ dimension: 20, metric });
    addAll([graph, exact], vectors);
    let hits = 0;
    for (let i = 0; i < 40; i++) {
      const positive = vectors[i * 97]?.map((x) => x * 0.9) ?? new Float32Array(20);
      // Negatives of all kinds: next to the positive, in its cluster, and elsewhere.
      const negatives = Array.from({ length: count }, (_, j) =>
        i % 3 === 0
          ? positive.map((x) => x * 1.1 + 0.1)
          : (vectors[(i * 97 + j * (i % 2 === 0 ? 20 : 7) + 1) % COUNT] ?? positive),
      );
      const found = graph.searchNegatives(positive, negatives, 10, { ef: 60 });
      const truth = exact.searchNegatives(positive, negatives, 10);
      const least = truth.scores[9] ?? 0;
      hits += found.scores.filter((score) => score >= least - 1e-6).length;
      expect([...found.scores]).toEqual([...found.scores].sort((a, b) => b - a));
      const byId = new Map(Array.from(truth.ids, (id, j) => [id, j]));
      for (const [j, id] of found.ids.entries()) {
        const same = byId.get(id);
        if (same === undefined) continue;
        expect(found.scores[j]).toBeCloseTo(truth.scores[same] ?? Number.NaN, 5);
        expect(found.distances[j]).toBeCloseTo(truth.distances[same] ?? Number.NaN, 5);
      }
    }
    expect(hits / 400).toBeGreaterThan(0.95);
  },
);

test("finds nothing that was deleted", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "l2" });
  addAll([graph], data.clustered);
  for (let id = 0; id < 300; id++) graph.delete(id);
  const positive = data.clustered[0] ?? new Float32Array(20);
  const { ids } = graph.searchNegatives(positive, [data.clustered[1] ?? positive], 200);
  expect(ids).toHaveLength(200);
  for (const id of ids) expect(id).toBeGreaterThanOrEqual(300n);
});

test("ranks everything for a k beyond what it holds", () => {
  const graph = new HnswGraph({ dimension: 2, metric: "l2" });
  addAll([graph], scattered(700, 2, 3));
  const origin = Float32Array.of(0, 0);
  expect(new Set(graph.searchNegatives(origin, [Float32Array.of(1, 1)], 1000).ids).size).toBe(700);
});
