/**
 * Filters that take one direction, asked for from where few match: in sets of many small clusters the nearest matches are then
 * spread over clusters that a walk around the query does not see.
 */
import { beforeAll, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, clustered, recallOf } from "./vectors.ts";

/** Of these, more match than are scanned in place of any walk. */
const COUNT = 52_000;
const ASKED = 400;
const DIMENSION = 64;
const CLUSTERS = 1000;
const BUILD_MS = 60_000;

const all = clustered(COUNT + ASKED, DIMENSION, 1, CLUSTERS);
const vectors = all.slice(0, COUNT);
const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", m: 12, efConstruction: 40 });
const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });

beforeAll(() => addAll([graph, exact], vectors), BUILD_MS);

test.each([0.5, 0.4])("finds 99 % of the nearest where the share of %d lies to one side", (share) => {
  const along = (vector: Float32Array) => vector[0] ?? Number.NaN;
  const border = Float32Array.from(vectors, along).sort()[COUNT * (1 - share)] ?? Number.NaN;
  const allow = new SlotSet(graph.slotLimit);
  for (const [slot, vector] of vectors.entries()) if (along(vector) >= border) allow.add(slot);
  const outside = all.slice(COUNT).filter((query) => along(query) < border - 1);
  const queries = outside.slice(0, 40);
  expect(queries).toHaveLength(40);
  const found = queries.map((query) => graph.search(query, 10, { allow }));
  const truth = queries.map((query) => exact.search(query, 10, { allow }));
  expect(recallOf(found, truth)).toBeGreaterThan(0.99);
});
