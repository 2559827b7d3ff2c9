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

test.each<Metric>(["cosine", "l2"])(
  "finds so among some of the slots, with negatives as well, under %s",
  (metric) => {
    const graph = new HnswGraph({ dimension: DIMENSION, metric });
    const exact = new ExactGraph({ dimension: DIMENSION, metric });
    addAll([graph, exact], scattered(COUNT, DIMENSION, 5));
    const all = graph.liveSlots();
    const [negative, ...queries] = scattered(40, DIMENSION, 6) as [Float32Array];
    for (const query of queries) {
      expect(graph.searchAmong(query, 10, all).ids).toEqual(exact.search(query, 10).ids);
      const highest = exact.searchNegatives(query, [negative], 10).ids;
      expect(graph.searchNegativesAmong(query, [negative], 10, all).ids).toEqual(highest);
      expect(graph.searchNegatives(query, [negative], 10, { ef: 60 }).ids).toEqual(highest);
    }
  },
);
