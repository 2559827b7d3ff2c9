/**
 * Vectors so short that the product of two is less than f32 holds: under cosine they have a direction like any other, under L2
 * distances are told apart while f32 holds their squares.
 */
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { Quantization } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, clustered, recallOf } from "./vectors.ts";

const DIMENSION = 8;

/** Vectors of which each has one of these lengths, in turn. */
function ofLengths(lengths: number[], count: number, seed: number): Float32Array[] {
  return clustered(count, DIMENSION, seed).map((vector, i) => {
    const factor = lengths[i % lengths.length] as number;
    return vector.map((x) => x * factor);
  });
}

test.each<{ quantization: Quantization; lengths: number[] }>([
  { quantization: "none", lengths: [1e-22] },
  { quantization: "none", lengths: [1e-36] },
  { quantization: "none", lengths: [1, 1e-30, 1e18, 1e-10] },
  { quantization: "int8", lengths: [1e-30] },
  { quantization: "int8", lengths: [1e-35, 1e17] },
  { quantization: "int8", lengths: [1e-37] },
  { quantization: "int8", lengths: [3e-38, 1] },
])("finds vectors of lengths around $lengths ($quantization)", ({ quantization, lengths }) => {
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "cosine" });
  // An ef of 40 makes a search of more than 640 vectors walk.
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "cosine", quantization, efSearch: 40 });
  const vectors = ofLengths(lengths, 2000, 3);
  const queries = ofLengths([...lengths, 1], 40, 4);
  const search = (target: HnswGraph | ExactGraph) => queries.map((query) => target.search(query, 10));

  addAll([graph, exact], vectors.slice(0, 14));
  expect(recallOf(search(graph), search(exact))).toBe(1);

  addAll([graph, exact], vectors);
  expect(recallOf(search(graph), search(exact))).toBeGreaterThan(0.95);
});

test.each<{ quantization: Quantization; length: number }>([
  { quantization: "none", length: 1e-19 },
  { quantization: "int8", length: 1e-18 },
])("ranks distances around $length under L2 ($quantization)", ({ quantization, length }) => {
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", quantization, efSearch: 40 });
  addAll([graph, exact], ofLengths([length], 2000, 3));
  const queries = ofLengths([length], 40, 4);
  const nearest = (target: HnswGraph | ExactGraph) => queries.map((query) => target.search(query, 1));
  const truth = nearest(exact);
  const hits = nearest(graph).filter(({ ids }, i) => ids[0] === truth[i]?.ids[0]);
  expect(hits.length).toBeGreaterThanOrEqual(38);
});

test.each<Quantization>(["none", "int8"])("gives distances around 1e-37 under L2 (%s)", (quantization) => {
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", quantization });
  addAll([graph, exact], ofLengths([1e-37], 14, 3));
  for (const query of ofLengths([1e-37], 5, 4)) {
    expect(graph.search(query, 14)).toEqual(exact.search(query, 14));
  }
});
