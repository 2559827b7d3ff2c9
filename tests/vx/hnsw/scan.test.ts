/** Scans of rows too long to be asked for first, which are measured eight at a time and what is left four at a time. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { Metric } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, scattered } from "./vectors.ts";

const DIMENSION = 300;
const MOST = 80;

test.each<Metric>(["cosine", "l2"])("finds the nearest of any number of rows under %s", (metric) => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric, quantization: "none" });
  const exact = new ExactGraph({ dimension: DIMENSION, metric });
  addAll([graph, exact], scattered(MOST + 1, DIMENSION, 3));
  const [query = new Float32Array(DIMENSION), negative = query] = scattered(2, DIMENSION, 4);
  for (let count = 1; count <= MOST; count++) {
    const allow = new SlotSet(graph.slotLimit);
    for (let slot = 0; slot < count; slot++) allow.add(slot);
    const k = Math.ceil(count / 2);
    expect(graph.search(query, k, { allow }).ids).toEqual(exact.search(query, k, { allow }).ids);
  }
  const scored = graph.searchNegatives(query, [negative], 10);
  expect(scored.ids).toEqual(exact.searchNegatives(query, [negative], 10).ids);
});
