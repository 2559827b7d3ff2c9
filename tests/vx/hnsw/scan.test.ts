/** Scans measure all that is allowed, in each of the ways in which rows are read: by length, and by how many are left out. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, scattered } from "./vectors.ts";

/** More than are gathered before they are measured. */
const MOST = 80;
const MOST_STEP = 3;
/** More than the runs that are gathered have slots. */
const MANY = 4500;
const COPIES = 9;

const ways = [
  { dimension: 300, metric: "cosine", quantization: "none" },
  { dimension: 300, metric: "l2", quantization: "none" },
  { dimension: 128, metric: "cosine", quantization: "none" },
  { dimension: 128, metric: "l2", quantization: "none" },
  { dimension: 20, metric: "l2", quantization: "none" },
  { dimension: 20, metric: "cosine", quantization: "int8" },
] as const;

test.each(ways)("finds the nearest of any number of rows with %j", (options) => {
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

test.each(ways)("finds the nearest of slots in a row, some of which are left out, with %j", (options) => {
  const { dimension } = options;
  const graph = new HnswGraph({ ...options, m: 2, efConstruction: 4 });
  const exact = new ExactGraph(options);
  // Each a few times, since among equals the first is nearest.
  const some = scattered(MANY / COPIES, dimension, 5);
  for (let copy = 0; copy < COPIES; copy++) addAll([graph, exact], some, copy * some.length);
  const [query = new Float32Array(dimension)] = scattered(1, dimension, 6);
  for (const count of [96, 128, 150, 300, 4096, MANY]) {
    for (const leftOut of [count, 17, 5]) {
      const allow = new SlotSet(graph.slotLimit);
      // Of a few words in the middle, only every third slot.
      for (let i = 0; i < count; i++) {
        if (i % leftOut !== leftOut - 1 && (i < 60 || i > 110 || i % 3 === 0)) allow.add(i);
      }
      for (const k of [1, 10, 100]) {
        expect(graph.search(query, k, { allow }).ids).toEqual(exact.search(query, k, { allow }).ids);
      }
    }
  }
});

test("finds the nearest in order, however many are kept", () => {
  const options = { dimension: 12, metric: "l2", quantization: "none", m: 2, efConstruction: 4 } as const;
  const graph = new HnswGraph({ ...options, efSearch: 300 });
  const exact = new ExactGraph(options);
  addAll([graph, exact], scattered(3000, 12, 7));
  const [query = new Float32Array(12)] = scattered(1, 12, 8);
  // Of the third step there are fewer than are kept.
  for (const step of [1, 4, 40]) {
    const slots = new SlotSet(graph.slotLimit);
    for (let slot = 0; slot < graph.slotLimit; slot += step) slots.add(slot);
    for (const k of [10, 74, 300, 301, 1000, 2999, 3000])
      expect(graph.searchAmong(query, k, slots).ids).toEqual(exact.search(query, k, { allow: slots }).ids);
  }
});
