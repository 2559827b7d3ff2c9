/** Scans measure all that is allowed, in each of the ways in which rows are read: by length, and by how many are left out. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, scattered } from "./vectors.ts";

/** More than are gathered before they are measured. */
const MOST = 80;
const MOST_STEP = 3;

test.each([
  { dimension: 300, metric: "cosine", quantization: "none" },
  { dimension: 300, metric: "l2", quantization: "none" },
  { dimension: 128, metric: "cosine", quantization: "none" },
  { dimension: 128, metric: "l2", quantization: "none" },
  { dimension: 20, metric: "l2", quantization: "none" },
  { dimension: 20, metric: "cosine", quantization: "int8" },
] as const)("finds the nearest of any number of rows with %j", (options) => {
  const { dimension } = options;
  const graph = new HnswGraph(options);
  const exact = new ExactGraph(options);
  addAll([graph, exact], scattered(MOST * MOST_STEP + 1, dimension, 3));
  const [query = new Float32Array(dimension), negative = query] = scattered(2, dimension, 4);
  for (let step = 1; step <= MOST_STEP; step++) {
    for (let count = 1; count <= MOST; count++) {
      const allow = new SlotSet(graph.slotLimit);
      for (let i = 0; i < count; i++) allow.add(i * step);
      const k = Math.ceil(count / 2);
      expect(graph.search(query, k, { allow }).ids).toEqual(exact.search(query, k, { allow }).ids);
    }
  }
  const scored = graph.searchNegatives(query, [negative], 10);
  expect(scored.ids).toEqual(exact.searchNegatives(query, [negative], 10).ids);
});
