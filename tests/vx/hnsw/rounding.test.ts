/** What is ranked again at full precision: all that the rounding of int8 rows may have put behind the k nearest. */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { Metric } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, scattered } from "./vectors.ts";

const DIMENSION = 96;
/** So few that a search measures all. */
const COUNT = 1500;
const QUERIES = 200;

test.each<Metric>(["cosine", "l2"])("finds what rounding put in another order under %s", (metric) => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric });
  const exact = new ExactGraph({ dimension: DIMENSION, metric });
  addAll([graph, exact], scattered(COUNT, DIMENSION, 5));
  for (const query of scattered(QUERIES, DIMENSION, 6)) {
    expect(graph.search(query, 10).ids).toEqual(exact.search(query, 10).ids);
  }
});
