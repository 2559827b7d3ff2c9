/**
 * Many equal vectors at each of many places, of which a search has no room for any others: the nearest place is found
 * all the same.
 */
import { describe, expect, test } from "vitest";
import type { Neighbours } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";
import { addAll, linksOf, scattered } from "./vectors.ts";

const DIMENSION = 24;
const PLACES = 80;
const COPIES = 60;
const EF = 40;

const places = scattered(PLACES, DIMENSION, 1);
const queries = scattered(60, DIMENSION, 2);
/** A copy of each place in turn. */
const vectors = Array.from({ length: PLACES * COPIES }, (_, i) => places[i % PLACES] as Float32Array);

/** Of the queries, the share that found `k` vectors of the best place alone. */
function shareOf(
  search: (query: Float32Array) => Neighbours,
  scoreOf: (place: Float32Array, query: Float32Array) => number,
  k = 10,
): number {
  const right = queries.filter((query) => {
    const scores = places.map((place) => scoreOf(place, query));
    const best = scores.indexOf(Math.max(...scores));
    const { ids } = search(query);
    return new Set(ids).size === k && ids.every((id) => Number(id) % PLACES === best);
  });
  return right.length / queries.length;
}

const distance = (a: Float32Array, b: Float32Array) => Math.hypot(...a.map((x, i) => x - (b[i] as number)));
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
const nearness = {
  l2: (place: Float32Array, query: Float32Array) => -distance(place, query),
  cosine: (place: Float32Array, query: Float32Array) => dot(place, query) / Math.hypot(...place),
};

describe.each([
  ["l2", "int8"],
  ["l2", "none"],
  ["cosine", "int8"],
  ["cosine", "none"],
] as const)("under %s (%s)", (metric, quantization) => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric, quantization, efConstruction: 60 });
  addAll([graph], vectors);

  test("a search finds the nearest place", () => {
    expect(shareOf((query) => graph.search(query, 10, { ef: EF }), nearness[metric])).toBeGreaterThan(0.95);
  });

  test("and all its vectors, where as many are wanted", () => {
    const search = (query: Float32Array) => graph.search(query, COPIES, { ef: COPIES });
    expect(shareOf(search, nearness[metric], COPIES)).toBeGreaterThan(0.95);
  });

  test("so does one away from a negative", () => {
    const [negative] = scattered(1, DIMENSION, 3) as [Float32Array];
    const away = {
      l2: (place: Float32Array, query: Float32Array) =>
        1 / (1 + distance(place, query)) - 0.5 / (1 + distance(place, negative)),
      cosine: (place: Float32Array, query: Float32Array) =>
        nearness.cosine(place, query) / Math.hypot(...query) -
        (0.5 * nearness.cosine(place, negative)) / Math.hypot(...negative),
    };
    const search = (query: Float32Array) => graph.searchNegatives(query, [negative], 10, { ef: EF });
    expect(shareOf(search, away[metric])).toBeGreaterThan(0.95);
  });

  test("so do most once some of each place were deleted", () => {
    for (let id = 0; id < vectors.length / 10; id++) graph.delete(id);
    expect(shareOf((query) => graph.search(query, 10, { ef: EF }), nearness[metric])).toBeGreaterThan(0.8);
  });
});

test.each(["l2", "cosine"] as const)("what is added beside crowds is found under %s", (metric) => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric, efConstruction: 60 });
  addAll([graph], vectors);
  const others = scattered(1_000, DIMENSION, 4);
  addAll([graph], others, vectors.length);
  const isFound = (vector: Float32Array, i: number) =>
    graph.search(vector, 1, { ef: EF }).ids[0] === BigInt(vectors.length + i);
  expect(others.filter(isFound).length).toBeGreaterThan(0.99 * others.length);
});

test.each([
  ["l2", "int8"],
  ["l2", "none"],
  ["cosine", "int8"],
] as const)(
  "what is as far from others, but not equal, finds itself under %s (%s)",
  (metric, quantization) => {
    const graph = new HnswGraph({ dimension: 32, metric, quantization, efConstruction: 60 });
    // They begin alike, too.
    const signs = scattered(3_000, 32, 5).map((vector) => vector.map((x, i) => (i < 16 ? 1 : Math.sign(x))));
    addAll([graph], signs);
    const isFound = (vector: Float32Array) =>
      (graph.search(vector, 1, { ef: EF }).distances[0] as number) < 1e-3;
    expect(signs.filter(isFound).length).toBeGreaterThan(0.99 * signs.length);
  },
);

test.each(["l2", "cosine"] as const)(
  "so it is past crowds of which most were deleted, but none is free yet, under %s",
  (metric) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric, efConstruction: 60 });
    addAll([graph], vectors);
    graph.pin();
    for (let id = 0; id < vectors.length; id++) if (Math.floor(id / PLACES) % 4 !== 0) graph.delete(id);
    const others = scattered(1_000, DIMENSION, 4);
    addAll([graph], others, vectors.length);
    const isFound = (vector: Float32Array, i: number) =>
      graph.search(vector, 1, { ef: EF }).ids[0] === BigInt(vectors.length + i);
    const found = queries.flatMap((query) => Array.from(graph.search(query, 10, { ef: EF }).ids));
    expect(found.filter((id) => graph.slotOf(id) === undefined)).toEqual([]);
    expect(others.filter(isFound).length).toBeGreaterThan(0.95 * others.length);
  },
);

test.each(["l2", "cosine"] as const)(
  "what is added beside a place that is dead leads to none of it under %s",
  (metric) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric, efConstruction: 60 });
    addAll([graph], [...vectors, ...vectors]);
    graph.pin();
    const isDead = (id: number) => id % 2 === 1;
    for (let id = 0; id < vectors.length * 2; id++) if (isDead(id)) graph.delete(id);
    const beside = scattered(200, DIMENSION, 4).map((vector, i) =>
      vector.map((x, j) => 0.05 * x + (places[(2 * i + 1) % PLACES]?.[j] as number)),
    );
    addAll([graph], beside, vectors.length * 2);
    const live = graph.liveSlots();
    const links = linksOf(graph);
    const led = beside.flatMap((_, i) =>
      Array.from(links[graph.slotOf(vectors.length * 2 + i) as number] ?? []),
    );
    expect(led.length).toBeGreaterThan(0);
    expect(led.filter((slot) => !live.has(slot))).toEqual([]);
  },
);

test.each(["int8", "none"] as const)(
  "as many as are wanted are found at a place of which most were deleted (%s)",
  (quantization) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", quantization, efConstruction: 60 });
    const copies = 600;
    const few = places.slice(0, 10);
    addAll(
      [graph],
      Array.from({ length: few.length * copies }, (_, i) => few[i % few.length] as Float32Array),
    );
    const random = randomOf(6);
    for (let id = 0; id < few.length * copies; id++) if (random() < 2 / 3) graph.delete(id);
    const found = few.map(
      (place) => graph.search(place, 100, { ef: 100 }).distances.filter((far) => far === 0).length,
    );
    expect(Math.min(...found)).toBeGreaterThan(95);
  },
);
