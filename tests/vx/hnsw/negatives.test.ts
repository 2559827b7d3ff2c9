/** Search with negatives ranks by its score over all vectors, not over the nearest of the positive. */
import { expect, test, vi } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { Kernel } from "../../../src/vx/hnsw/kernel.ts";
import { MAX_EF } from "../../../src/vx/hnsw/limits.ts";
import { combinedDirection } from "../../../src/vx/hnsw/negatives.ts";
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

test("finds nothing that was deleted, though a walk meets nothing else", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "l2" });
  const exact = new ExactGraph({ dimension: 20, metric: "l2" });
  addAll([graph, exact], data.scattered);
  const [positive, negative] = data.scattered as [Float32Array, Float32Array];
  // While the graph is pinned what was deleted stays in it.
  graph.pin();
  for (const id of exact.searchNegatives(positive, [negative], 400).ids) {
    graph.delete(id);
    exact.delete(id);
  }
  const found = graph.searchNegatives(positive, [negative], 10, { ef: 10 });
  expect(found.ids).toEqual(exact.searchNegatives(positive, [negative], 10).ids);
});

test("measures all of a few vectors, whatever their links", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "l2", m: 2, efConstruction: 2 });
  const exact = new ExactGraph({ dimension: 20, metric: "l2" });
  addAll([graph, exact], data.scattered.slice(0, 600));
  for (let i = 0; i < 20; i++) {
    const [positive, negative] = data.scattered.slice(i) as [Float32Array, Float32Array];
    const found = graph.searchNegatives(positive, [negative], 10, { ef: 20 });
    expect(found.ids).toEqual(exact.searchNegatives(positive, [negative], 10).ids);
  }
});

test("measures all vectors once at most under cosine", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "cosine" });
  addAll([graph], data.scattered.slice(0, 600));
  const [positive, negative] = data.scattered as [Float32Array, Float32Array];
  const search = vi.spyOn(Kernel.prototype, "search");
  graph.searchNegatives(positive, [negative], 10, { ef: 20 });
  expect(search).toHaveBeenCalledTimes(1);
  graph.searchNegatives(positive, [negative], 10, { ef: 10 });
  expect(search).toHaveBeenCalledTimes(3);
});

test("finds nothing worse under cosine than what is nearest to the positive", () => {
  const [count, clusters, dimension] = [1800, 60, 96];
  const centres = scattered(clusters, dimension, 12);
  const near = (cluster: number, noise: Float32Array) =>
    noise.map((x, at) => 0.4 * x + 3 * (centres[cluster % clusters]?.[at] ?? 0));
  // With so few links a walk by the score often ends in another cluster.
  const graph = new HnswGraph({ dimension, metric: "cosine", m: 6, efConstruction: 20 });
  const vectors = scattered(count, dimension, 13).map((noise, i) => near(i * 7 + (i >> 4), noise));
  addAll([graph], vectors);
  for (let i = 0; i < 100; i++) {
    const [positive, ...negatives] = [0, 8, 99].map((more) => vectors[i * 17 + more]) as [Float32Array];
    const { direction, length } = combinedDirection(positive, negatives);
    const nearest = vectors[Number(graph.search(positive, 1, { ef: 40 }).ids[0])] as Float32Array;
    const dot = nearest.reduce((sum, x, at) => sum + x * (direction[at] as number), 0);
    const [best] = graph.searchNegatives(positive, negatives, 10, { ef: 40 }).scores;
    expect(best).toBeGreaterThanOrEqual((length * dot) / Math.hypot(...nearest) - 1e-5);
  }
});

test("walks twice as wide as a plain search under cosine", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "cosine" });
  addAll([graph], data.scattered);
  for (let i = 0; i < 100; i++) {
    const [positive, ...negatives] = data.scattered.slice(i * 30, i * 30 + 4) as [Float32Array, Float32Array];
    const { scores } = graph.searchNegatives(positive, negatives, 10, { ef: 10 });
    const { direction, length } = combinedDirection(positive, negatives);
    const { distances } = graph.search(direction, 10, { ef: 20 });
    for (const [at, score] of scores.entries())
      expect(score).toBeGreaterThanOrEqual(length * (1 - (distances[at] as number)) - 1e-6);
  }
});

test("walks wide enough for the ridges of a score under L2", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "l2" });
  const exact = new ExactGraph({ dimension: 20, metric: "l2" });
  addAll([graph, exact], data.scattered);
  let hits = 0;
  for (let i = 0; i < 50; i++) {
    const [positive, negative] = data.scattered.slice(i * 30) as [Float32Array, Float32Array];
    const least = exact.searchNegatives(positive, [negative], 10).scores[9] as number;
    const { scores } = graph.searchNegatives(positive, [negative], 10, { ef: 10 });
    hits += scores.filter((score) => score >= least - 1e-6).length;
  }
  expect(hits / 500).toBeGreaterThan(0.975);
});

test("takes no more memory than a plain search of the widest", () => {
  const graph = new HnswGraph({ dimension: 2, metric: "cosine" });
  addAll([graph], scattered(20, 2, 3));
  const query = Float32Array.of(1, 0);
  graph.search(query, 1, { ef: MAX_EF });
  const { memoryBytes } = graph;
  graph.searchNegatives(query, [query], 1, { ef: MAX_EF });
  expect(graph.memoryBytes).toBe(memoryBytes);
});

test("leaves nothing of its queries to the searches and links that follow", () => {
  const graph = new HnswGraph({ dimension: 20, metric: "l2" });
  const exact = new ExactGraph({ dimension: 20, metric: "l2" });
  addAll([graph, exact], data.scattered.slice(0, 600));
  const [positive, negative] = data.scattered as [Float32Array, Float32Array];
  const nearest = exact.search(positive, 10).ids;
  graph.searchNegatives(positive, [negative], 10);
  expect(graph.search(positive, 10).ids).toEqual(nearest);
  graph.searchNegativesAmong(positive, [negative], 10, graph.liveSlots());
  expect(graph.search(positive, 10).ids).toEqual(nearest);
});

test("refuses a vector too short to have a direction, among the negatives, too", () => {
  const graph = new HnswGraph({ dimension: 2, metric: "cosine" });
  addAll([graph], scattered(20, 2, 3));
  const [query, short] = [Float32Array.of(1, 0), Float32Array.of(1e-39, 0)];
  const refused = expect.objectContaining({ code: "invalid_vector" });
  expect(() => graph.searchNegatives(short, [query], 1)).toThrowError(refused);
  expect(() => graph.searchNegatives(query, [query, short], 1)).toThrowError(refused);
});

test("ranks everything for a k beyond what it holds", () => {
  const graph = new HnswGraph({ dimension: 2, metric: "l2" });
  addAll([graph], scattered(700, 2, 3));
  const origin = Float32Array.of(0, 0);
  expect(new Set(graph.searchNegatives(origin, [Float32Array.of(1, 1)], 1000).ids).size).toBe(700);
});
