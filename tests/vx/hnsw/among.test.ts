/** Exact search among slots, also those left behind while the graph is pinned: what searches see of a batch's former records. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { Metric } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, clustered, listOf } from "./vectors.ts";

const DIMENSION = 16;
const vectors = clustered(600, DIMENSION, 1);
const [query, ...negatives] = clustered(3, DIMENSION, 2) as [Float32Array, ...Float32Array[]];

/** Of 600 vectors every third is replaced and every fifth deleted, while the graph is pinned; with the former slots. */
function leftBehind(metric: Metric) {
  const graph = new HnswGraph({ dimension: DIMENSION, metric });
  const former = new ExactGraph({ dimension: DIMENSION, metric });
  addAll([graph], vectors);
  const release = graph.pin();
  const slots = new SlotSet(graph.slotLimit);
  for (const [id, vector] of vectors.entries()) {
    if (id % 3 > 0 && id % 5 > 0) continue;
    slots.add(graph.slotOf(id) as number);
    former.add(id, vector);
  }
  for (let id = 0; id < 600; id += 3)
    graph.add(
      id,
      Float32Array.from(vectors[id] ?? [], (x) => x + 9),
    );
  for (let id = 0; id < 600; id += 5) graph.delete(id);
  return { graph, former, slots, release };
}

test.each(["cosine", "l2"] as const)("finds exactly the nearest of slots left behind, under %s", (metric) => {
  const { graph, former, slots } = leftBehind(metric);
  const found = listOf(graph.searchAmong(query, 20, slots));
  const truth = listOf(former.search(query, 20));
  expect(found.map(({ id }) => id)).toEqual(truth.map(({ id }) => id));
  for (const [i, { distance }] of found.entries()) expect(distance).toBeCloseTo(truth[i]?.distance ?? 0, 5);
});

test.each(["cosine", "l2"] as const)(
  "finds the highest scores among slots left behind, under %s",
  (metric) => {
    const { graph, former, slots } = leftBehind(metric);
    for (const used of [negatives, []]) {
      const found = graph.searchNegativesAmong(query, used, 20, slots);
      const truth = former.searchNegatives(query, used, 20);
      expect(found.ids).toEqual(truth.ids);
      for (const name of ["distances", "scores"] as const) {
        for (const [i, value] of found[name].entries()) expect(value).toBeCloseTo(truth[name][i] ?? 0, 5);
      }
    }
  },
);

test("refuses queries that are none", () => {
  const { graph, slots } = leftBehind("l2");
  const short = query.slice(1);
  expect(() => graph.searchAmong(short, 5, slots)).toThrow(/expected 16, got 15/);
  expect(() => graph.searchNegativesAmong(query, [short], 5, slots)).toThrow(/expected 16, got 15/);
  for (const search of [
    () => graph.searchAmong(query, 0, slots),
    () => graph.searchNegativesAmong(query, negatives, 0, slots),
  ]) {
    expect(search).toThrow(expect.objectContaining({ code: "invalid_request" }));
  }
});

test("finds nothing among no slots, and uses the slots again once released", () => {
  const { graph, release } = leftBehind("l2");
  expect(graph.searchAmong(query, 5, new SlotSet(graph.slotLimit)).ids).toHaveLength(0);
  const slotLimit = graph.slotLimit;
  release();
  addAll([graph], clustered(200, DIMENSION, 4), 10_000);
  expect(graph.slotLimit).toBeLessThan(slotLimit + 200);
});
