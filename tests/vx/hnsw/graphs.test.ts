/** What every vector graph does, the WebAssembly one and its exact twin alike. */
import { describe, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { GraphOptions, VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MAX_NEGATIVES } from "../../../src/vx/hnsw/limits.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { listOf } from "./vectors.ts";

const implementations: [string, (options: GraphOptions) => VectorGraph][] = [
  ["ExactGraph", (options) => new ExactGraph(options)],
  ["HnswGraph with an int8 walk", (options) => new HnswGraph(options)],
  ["HnswGraph with an f32 walk", (options) => new HnswGraph({ ...options, quantization: "none" })],
];

const of = (...numbers: number[]) => Float32Array.from(numbers);

describe.each(implementations)("%s", (_, create) => {
  test("finds nothing while it is empty", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    expect(graph.search(of(1, 2), 5).ids).toHaveLength(0);
    expect(graph.searchNegatives(of(1, 2), [of(2, 2)], 5).ids).toHaveLength(0);
    expect(graph.count).toBe(0);
  });

  test("gives Euclidean distances, not squared, nearest first", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(7, of(3, 4));
    graph.add(8, of(0, 1));
    graph.add(9, of(0, 0));
    expect(listOf(graph.search(of(0, 0), 2))).toEqual([
      { id: 9n, distance: 0 },
      { id: 8n, distance: 1 },
    ]);
    expect(listOf(graph.search(of(0, 0), 3))[2]).toEqual({ id: 7n, distance: 5 });
  });

  test("gives 1 - cosine similarity, from 0 to 2, whatever the length of a vector", () => {
    const graph = create({ dimension: 2, metric: "cosine" });
    graph.add(1, of(1e-20, 0));
    graph.add(2, of(0, 3));
    graph.add(3, of(-1e15, 0));
    const found = listOf(graph.search(of(0.001, 0), 3));
    expect(found.map(({ id }) => id)).toEqual([1n, 2n, 3n]);
    expect(found.map(({ distance }) => distance)).toEqual([0, 1, 2]);
  });

  test("gives a vector back bit by bit as it was added", () => {
    const graph = create({ dimension: 5, metric: "cosine" });
    const vector = of(0.1, -1e-30, 3e18, 7, -0);
    graph.add(4, vector);
    expect(graph.get(4)).toEqual(vector);
    expect(graph.get(5)).toBeUndefined();
  });

  test("keeps a vector of its own, of which it gives copies", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    const vector = of(3, 4);
    graph.add(1, vector);
    vector.fill(9);
    graph.get(1)?.fill(9);
    expect(graph.get(1)).toEqual(of(3, 4));
    expect(listOf(graph.search(of(0, 0), 1))).toEqual([{ id: 1n, distance: 5 }]);
  });

  test("takes ids from 0 to 2^64 - 1", () => {
    const graph = create({ dimension: 1, metric: "l2" });
    const ids = [0n, 1n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 2n ** 64n - 1n];
    for (const [i, id] of ids.entries()) graph.add(id, of(i));
    expect([...graph.search(of(0), 10).ids]).toEqual(ids);
    expect([...graph.ids()].sort()).toEqual([...ids].sort());
    expect(graph.get(2n ** 64n - 1n)).toEqual(of(5));
  });

  test.each([-1, 1.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n])("refuses the id %s", (id) => {
    const graph = create({ dimension: 1, metric: "l2" });
    expect(() => graph.add(id, of(1))).toThrow(expect.objectContaining({ code: "invalid_id" }));
    expect(() => graph.delete(id)).toThrow(expect.objectContaining({ name: "InvalidIDError" }));
    expect(graph.count).toBe(0);
  });

  test("replaces the vector of an id that is there", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(1, of(1, 1));
    graph.add(1, of(9, 9));
    expect(graph.count).toBe(1);
    expect(graph.get(1)).toEqual(of(9, 9));
    expect(listOf(graph.search(of(9, 9), 5))).toEqual([{ id: 1n, distance: 0 }]);
  });

  test("forgets a deleted id and takes it again", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(1, of(1, 1));
    graph.add(2, of(2, 2));
    expect(graph.delete(1)).toBe(true);
    expect(graph.delete(1)).toBe(false);
    expect(graph.get(1)).toBeUndefined();
    expect(graph.slotOf(1)).toBeUndefined();
    expect([...graph.search(of(1, 1), 5).ids]).toEqual([2n]);
    expect(graph.delete(2)).toBe(true);
    expect(graph.search(of(1, 1), 5).ids).toHaveLength(0);
    graph.add(1, of(5, 5));
    expect([...graph.ids()]).toEqual([1n]);
    expect([...graph.search(of(1, 1), 5).ids]).toEqual([1n]);
  });

  test("refuses a vector of another length, naming both", () => {
    const graph = create({ dimension: 128, metric: "l2" });
    const act = () => graph.add(1, new Float32Array(64));
    expect(act).toThrow("Vector dimension mismatch: expected 128, got 64");
    expect(act).toThrow(
      expect.objectContaining({ name: "DimensionMismatchError", code: "dimension_mismatch" }),
    );
    expect(() => graph.search(new Float32Array(129), 1)).toThrow(/expected 128, got 129/);
  });

  test.each(["l2", "cosine"] as const)("refuses negatives that it can't be far from, under %s", (metric) => {
    const graph = create({ dimension: 2, metric });
    graph.add(1, of(1, 1));
    const search = (...negatives: Float32Array[]) => graph.searchNegatives(of(1, 0), negatives, 1);
    const refused = (code: string) => expect.objectContaining({ code });
    expect(() => search(of(0, 1), of(Number.NaN, 1))).toThrow(refused("invalid_vector"));
    expect(() => search(of(2e19, 1))).toThrow(refused("invalid_vector"));
    expect(() => search(of(0, 1), of(1, 2, 3))).toThrow(refused("dimension_mismatch"));
    expect(() => search(...Array(MAX_NEGATIVES + 1).fill(of(0, 1)))).toThrow(refused("invalid_request"));
    expect(search(...Array(MAX_NEGATIVES).fill(of(0, 1))).ids).toEqual(BigUint64Array.of(1n));
    if (metric === "cosine") expect(() => search(of(0, 0))).toThrow(refused("invalid_vector"));
  });

  test.each([
    ["NaN", of(Number.NaN, 1)],
    ["infinity", of(1, Number.NEGATIVE_INFINITY)],
    ["a squared norm beyond f32", of(2e19, 1)],
  ])("refuses %s, keeping what it had", (_what, vector) => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(1, of(1, 1));
    expect(() => graph.add(1, vector)).toThrow(expect.objectContaining({ code: "invalid_vector" }));
    expect(() => graph.search(vector, 1)).toThrow(expect.objectContaining({ code: "invalid_vector" }));
    expect(() => graph.searchNegatives(of(1, 1), [vector], 1)).toThrow(
      expect.objectContaining({ code: "invalid_vector" }),
    );
    expect(graph.get(1)).toEqual(of(1, 1));
  });

  test("refuses a zero vector under cosine and takes it under L2", () => {
    const cosine = create({ dimension: 2, metric: "cosine" });
    expect(() => cosine.add(1, of(0, -0))).toThrow(expect.objectContaining({ code: "invalid_vector" }));
    const l2 = create({ dimension: 2, metric: "l2" });
    l2.add(1, of(0, 0));
    expect(listOf(l2.search(of(3, 4), 1))).toEqual([{ id: 1n, distance: 5 }]);
  });

  test("measures vectors at the ends of what f32 holds", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(1, of(1.3e19, 0));
    graph.add(2, of(-1.3e19, 0));
    graph.add(3, of(1e-44, 0));
    const found = listOf(graph.search(of(1.3e19, 0), 3));
    expect(found.map(({ id }) => id)).toEqual([1n, 3n, 2n]);
    expect(found.map(({ distance }) => distance / 1.3e19)).toEqual([0, expect.closeTo(1), expect.closeTo(2)]);
  });

  test.each([0, -1, 1.5, 1e9, Number.NaN])("refuses k = %s", (k) => {
    const graph = create({ dimension: 1, metric: "l2" });
    const refused = expect.objectContaining({ code: "invalid_request" });
    expect(() => graph.search(of(1), k)).toThrow(refused);
    for (const negatives of [[], [of(2)]]) {
      expect(() => graph.searchNegatives(of(1), negatives, k)).toThrow(refused);
    }
  });

  test("refuses more than maxElements, but still replaces and refills", () => {
    const graph = create({ dimension: 1, metric: "l2", maxElements: 2 });
    graph.add(1, of(1));
    graph.add(2, of(2));
    expect(() => graph.add(3, of(3))).toThrow(expect.objectContaining({ code: "capacity_exceeded" }));
    expect(() => graph.add(3, of(3))).toThrow("takes 2 vectors at most");
    expect([...graph.search(of(3), 5).ids]).toEqual([2n, 1n]);
    graph.add(2, of(20));
    graph.delete(1);
    graph.add(3, of(3));
    expect([...graph.search(of(0), 5).ids]).toEqual([3n, 2n]);
  });

  test("finds allowed slots alone", () => {
    const graph = create({ dimension: 1, metric: "l2" });
    for (let id = 0; id < 100; id++) graph.add(id, of(id));
    const allow = new SlotSet(graph.slotLimit);
    allow.addAll([10, 50, 90].map((id) => graph.slotOf(id) ?? -1));
    graph.delete(50);
    expect([...graph.search(of(49), 10, { allow }).ids]).toEqual([10n, 90n]);
    expect(graph.search(of(49), 10, { allow: new SlotSet(0) }).ids).toHaveLength(0);
  });

  test("ranks by the score with negatives", () => {
    const graph = create({ dimension: 2, metric: "l2" });
    graph.add(1, of(1, 0));
    graph.add(2, of(-1, 0));
    const found = graph.searchNegatives(of(0, 0), [of(1, 0), of(1, 1)], 2);
    expect([...found.ids]).toEqual([2n, 1n]);
    expect([...found.distances]).toEqual([1, 1]);
    expect(found.scores[0]).toBeCloseTo(0.5 - 0.25 * (1 / 3 + 1 / (1 + Math.sqrt(5))), 6);
    expect(found.scores[1]).toBeCloseTo(0.5 - 0.25 * (1 + 1 / 2), 6);
  });

  test("scores without negatives by the similarity alone", () => {
    const graph = create({ dimension: 2, metric: "cosine" });
    graph.add(1, of(1, 1));
    expect(graph.searchNegatives(of(1, 0), [], 1).scores[0]).toBeCloseTo(Math.SQRT1_2, 6);
  });
});

test("gives the ids of some slots, without those that were deleted", () => {
  const graph = new HnswGraph({ dimension: 1, metric: "l2" });
  for (let id = 0; id < 10; id++) graph.add(100 + id, of(id));
  graph.delete(103);
  expect([...graph.idsBetween(2, 6)]).toEqual([102n, 104n, 105n]);
  expect([...graph.idsBetween(0, 10)]).toEqual([...graph.ids()]);
  expect(graph.idsBetween(6, 6)).toHaveLength(0);
  expect([2, 9].map((slot) => graph.idIn(slot))).toEqual([102n, 109n]);
});

test("refuses options that make no graph", () => {
  for (const wrong of [{ dimension: 0 }, { dimension: 1e6 }, { m: 1 }, { m: 1000 }, { efConstruction: 0 }]) {
    expect(() => new HnswGraph({ dimension: 2, metric: "l2", ...wrong })).toThrow(
      expect.objectContaining({ code: "invalid_request" }),
    );
  }
});
