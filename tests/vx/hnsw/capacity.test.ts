/** Running out of memory is an error that says so; nothing traps and nothing that is held is lost. */
import { expect, test } from "vitest";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { addAll, clustered, linksOf, scattered } from "./vectors.ts";

const MIB = 1024 * 1024;
const full = expect.objectContaining({
  code: "capacity_exceeded",
  message: expect.stringMatching(/no memory for more than/),
});

/** Fills a graph until it refuses. */
function fill(graph: HnswGraph, vectors: Float32Array[]): number {
  let id = 0;
  try {
    for (;;) graph.add(id++, vectors[id % vectors.length] ?? new Float32Array());
  } catch (error) {
    expect(error).toEqual(full);
    return id - 1;
  }
}

test("refuses an addition that memory does not take, and goes on with what it holds", () => {
  const vectors = clustered(500, 64, 1);
  const graph = new HnswGraph({
    dimension: 64,
    metric: "cosine",
    m: 8,
    efConstruction: 20,
    maxMemoryBytes: 8 * MIB,
  });
  const held = fill(graph, vectors);
  expect(held).toBeGreaterThan(8000);
  expect(graph.count).toBe(held);
  expect(graph.memoryBytes).toBeLessThanOrEqual(8 * MIB);
  expect(() => graph.add(held, vectors[0] ?? new Float32Array())).toThrow(full);
  expect(graph.search(vectors[3] ?? new Float32Array(), 10).ids).toHaveLength(10);
  graph.add(5, vectors[9] ?? new Float32Array());
  expect(graph.get(5)).toEqual(vectors[9]);
  for (let id = 0; id < 50; id++) graph.delete(id);
  for (let id = 0; id < 50; id++) graph.add(held + id, vectors[id] ?? new Float32Array());
  expect(graph.count).toBe(held);
});

test("looks for few that searches miss where each replacement waits for a slot of its own", () => {
  // With these options walks miss many.
  const vectors = scattered(500, 64, 1);
  const graph = new HnswGraph({
    ...{ dimension: 64, metric: "l2", m: 8 },
    efConstruction: 4,
    maxMemoryBytes: 4 * MIB,
  });
  fill(graph, vectors);
  graph.add(0, vectors[9] ?? new Float32Array());
  const before = linksOf(graph).map(String);
  graph.add(1, vectors[9] ?? new Float32Array());
  expect(linksOf(graph).filter((links, slot) => String(links) !== before[slot]).length).toBeLessThan(40);
});

test("finds what lies far from all others when they are replaced again and again, though memory is full", () => {
  const graph = new HnswGraph({
    dimension: 16,
    metric: "l2",
    efConstruction: 40,
    maxMemoryBytes: 1.25 * MIB,
  });
  const alone = scattered(30, 16, 6).map((vector) => vector.map((x) => 4 * x));
  addAll([graph], alone);
  expect(() => addAll([graph], clustered(9000, 16, 0), alone.length)).toThrow(full);
  const others = graph.count - alone.length;
  for (let round = 1; round < 6; round++) addAll([graph], clustered(others, 16, round), alone.length);
  const lost = alone.filter((vector, id) => graph.search(vector, 1).ids[0] !== BigInt(id));
  expect(lost.length).toBeLessThan(15);
});

test("refuses a graph that does not fit at all", () => {
  expect(() => new HnswGraph({ dimension: 64, metric: "l2", maxMemoryBytes: 65_536 })).toThrow(full);
});

test("takes no more memory for searches of every breadth than for the broadest", () => {
  const graph = new HnswGraph({ dimension: 4, metric: "l2" });
  for (let id = 0; id < 3000; id++) graph.add(id, Float32Array.of(id, id % 7, id % 11, 1));
  const before = graph.memoryBytes;
  for (let k = 1; k < 2000; k++) graph.search(new Float32Array(4), k);
  expect(graph.memoryBytes - before).toBeLessThan(2 * MIB);
});
