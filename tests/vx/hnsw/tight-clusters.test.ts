/** Vectors nearer to each other than int8 rows tell: all of them that a search has found are ranked at full precision. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { Neighbours, Quantization, VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, scattered } from "./vectors.ts";

const DIMENSION = 32;
const CLUSTERS = 25;
/** More than three for each of ten results, and no more than the 100 candidates of a search. */
const IN_A_CLUSTER = 80;

/** Around each centre in turn, at about `distance` from one another, where centres have a length of 1. */
function around(centres: Float32Array[], count: number, distance: number, seed: number): Float32Array[] {
  const share = distance / Math.sqrt(2 * DIMENSION);
  return scattered(count, DIMENSION, seed).map((vector, i) =>
    vector.map((x, j) => (centres[i % CLUSTERS]?.[j] as number) + share * x),
  );
}

const centres = scattered(CLUSTERS, DIMENSION, 1).map((centre) => {
  const length = Math.hypot(...centre);
  return centre.map((x) => x / length);
});

/** Of the nearest of all queries, the share that was found. */
function shareFound(found: Neighbours[], truth: Neighbours[]): number {
  const hits = truth.map(({ ids }, i) => {
    const nearest = new Set(ids);
    return new Set(found[i]?.ids.filter((id) => nearest.has(id))).size / ids.length;
  });
  return hits.reduce((sum, share) => sum + share) / hits.length;
}

test.each([1e-2, 1e-4])(
  "finds the nearest of clusters whose members are %d of their length apart",
  (distance) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" });
    const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
    addAll([graph, exact], around(centres, CLUSTERS * IN_A_CLUSTER, distance, 2));
    const queries = around(centres, 50, distance, 3);
    const search = (target: VectorGraph) => queries.map((query) => target.search(query, 10));
    expect(shareFound(search(graph), search(exact))).toBeGreaterThan(0.99);
  },
);

test.each([1e-2, 1e-4])(
  "finds the highest scores, with negatives, among members that are %d of their length apart",
  (distance) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" });
    const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
    addAll([graph, exact], around(centres, CLUSTERS * IN_A_CLUSTER, distance, 2));
    const queries = around(centres, 50, distance, 3);
    const search = (target: VectorGraph) =>
      queries.map((query, i) => target.searchNegatives(query, [queries[(i + 7) % 50] ?? query], 10));
    expect(shareFound(search(graph), search(exact))).toBeGreaterThan(0.99);
  },
);

test("finds them among slots that are named, too", () => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  addAll([graph, exact], around(centres, CLUSTERS * IN_A_CLUSTER, 1e-4, 2));
  const queries = around(centres, 20, 1e-4, 3);
  const all = graph.liveSlots();
  const near = queries.map((query) => graph.searchAmong(query, 10, all));
  const truth = queries.map((query) => exact.search(query, 10));
  expect(shareFound(near, truth)).toBeGreaterThan(0.99);
  const against = (i: number) => [queries[(i + 7) % 20] as Float32Array];
  const high = queries.map((query, i) => graph.searchNegativesAmong(query, against(i), 10, all));
  const highest = queries.map((query, i) => exact.searchNegatives(query, against(i), 10));
  expect(shareFound(high, highest)).toBeGreaterThan(0.99);
});

test("ranks more of a cluster than are measured together", () => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const [centre] = centres as [Float32Array];
  const same = centres.map(() => centre);
  addAll([graph, exact], around(same, 1400, 1e-3, 2));
  const [query] = around(same, 1, 1e-3, 3) as [Float32Array];
  expect(shareFound([graph.search(query, 1200)], [exact.search(query, 1200)])).toBeGreaterThan(0.99);
});

test("orders by distances that f32 hardly tells apart under cosine", () => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "cosine" });
  addAll([graph], around(centres, CLUSTERS * IN_A_CLUSTER, 1e-3, 2));
  for (const query of around(centres, 50, 1e-3, 3)) {
    const { distances } = graph.search(query, 10);
    expect(distances).toEqual(distances.toSorted());
  }
});

test.each<Quantization>(["int8", "none"])(
  "finds each vector first for itself under cosine, among others that f32 does not tell apart, with quantization %s",
  (quantization) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric: "cosine", quantization });
    const vectors = around(centres, CLUSTERS * IN_A_CLUSTER, 1e-4, 2);
    addAll([graph], vectors);
    const all = graph.liveSlots();
    for (const [id, vector] of vectors.slice(0, 100).entries()) {
      expect([...graph.search(vector, 1).ids]).toEqual([BigInt(id)]);
      expect(graph.search(vector, 5).ids[0]).toBe(BigInt(id));
      expect([...graph.searchAmong(vector, 1, all).ids]).toEqual([BigInt(id)]);
    }
  },
);

test.each<{ dimension: number; quantization: Quantization }>([
  { dimension: 2, quantization: "int8" },
  { dimension: 4096, quantization: "int8" },
  { dimension: 4096, quantization: "none" },
])(
  "finds each vector or its equal first under cosine, of $dimension numbers, with quantization $quantization",
  ({ dimension, quantization }) => {
    const graph = new HnswGraph({ dimension, metric: "cosine", quantization });
    const [centre] = scattered(1, dimension, 4) as [Float32Array];
    const vectors = scattered(80, dimension, 5).map((vector) =>
      vector.map((x, i) => (centre[i] as number) + 1e-4 * x),
    );
    addAll([graph], vectors);
    // Of two numbers, some are told apart not even by double precision.
    for (const vector of vectors) expect(graph.search(vector, 1).distances[0]).toBeLessThan(1e-14);
  },
);
