/** What a full graph goes on to do: all but take more. */
import { afterEach, expect, test } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/threads/link-threads.ts";
import type { GraphOptions } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MAX_NEGATIVES, READING_ROOM_BYTES } from "../../../src/vx/hnsw/limits.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import type { GraphState } from "../../../src/vx/hnsw/state.ts";
import { MAX_K } from "../../../src/vx/limits.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { clustered } from "./vectors.ts";

const DIMENSION = 16;
const MIB = 1024 * 1024;
const vectors = clustered(1000, DIMENSION, 1);
const graphs: HnswGraph[] = [];

afterEach(() => {
  for (const graph of graphs.splice(0)) graph.close();
});

/** A graph that takes nothing more. */
function full(options: Partial<GraphOptions>, threads = nodeLinkThreads(0)): HnswGraph {
  const shape = { dimension: DIMENSION, metric: "l2", m: 4, efConstruction: 10 } as const;
  const graph = new HnswGraph({ ...shape, maxMemoryBytes: 6 * MIB, ...options }, threads);
  graphs.push(graph);
  expect(() => {
    for (let id = 0; ; id++) graph.add(id, vectorOf(id));
  }).toThrow(expect.objectContaining({ code: "capacity_exceeded" }));
  return graph;
}

function vectorOf(id: number): Float32Array {
  return vectors[id % vectors.length] as Float32Array;
}

async function opened(state: GraphState, options: Partial<GraphOptions>): Promise<HnswGraph> {
  const read = (name: string, places: Uint8Array[]) => {
    let offset = 0;
    for (const place of places) {
      state.parts.find((part) => part.name === name)?.read(offset, place);
      offset += place.byteLength;
    }
  };
  return HnswGraph.open(state.header, read, { efConstruction: 10, ...options });
}

test.each(["cosine", "l2"] as const)("answers whatever may be asked (%s)", (metric) => {
  const graph = full({ metric });
  const query = vectorOf(7);
  for (const share of [2, 30]) {
    const allow = new SlotSet(graph.slotLimit);
    for (let slot = 0; slot < graph.slotLimit; slot += share) allow.add(slot);
    const allowed = Math.ceil(graph.count / share);
    for (const k of [10, MAX_K]) {
      expect(graph.search(query, k).ids).toHaveLength(Math.min(k, graph.count));
      expect(graph.search(query, k, { allow }).ids).toHaveLength(Math.min(k, allowed));
      expect(graph.searchAmong(query, k, allow).ids).toHaveLength(Math.min(k, allowed));
    }
  }
  const negatives = Array.from({ length: MAX_NEGATIVES }, (_, i) => vectorOf(i));
  expect(graph.searchNegatives(query, negatives, 10).ids).toHaveLength(10);
  expect(graph.searchNegatives(query, negatives.slice(0, 2), MAX_K).ids).toHaveLength(MAX_K);
});

test.each([5, 5.5, 6, 6.5, 7].flatMap((size) => [0, 1000].map((more) => size * MIB + more)))(
  "gives its state, which opens in as much memory (%i bytes)",
  async (maxMemoryBytes) => {
    const graph = full({ maxMemoryBytes });
    const state = graph.exportState();
    const again = await opened(state, { maxMemoryBytes: graph.memoryBytes });
    state.release();
    expect(again.ids()).toEqual(graph.ids());
    expect(again.search(vectorOf(7), 100)).toEqual(graph.search(vectorOf(7), 100));
  },
);

test("takes others in place of what is deleted, though not a byte is free", async () => {
  const state = full({ m: 2 }).exportState();
  const { memoryBytes } = await opened(state, {});
  const graph = await opened(state, { maxMemoryBytes: memoryBytes - READING_ROOM_BYTES });
  const { count } = graph;
  for (let id = 0; id < 300; id++) {
    graph.delete(id);
    graph.add(count + id, vectorOf(id));
  }
  expect(graph.count).toBe(count);
});

test.each([5, 5.25, 5.5, 5.75])("has threads link what takes the place of others (%d MiB)", async (size) => {
  const graph = full({ maxMemoryBytes: size * MIB }, nodeLinkThreads(1));
  const { count } = graph;
  for (let id = 0; id < count / 2; id++) graph.delete(id);
  const release = graph.pin();
  for (let id = 0; id < 200; id++) graph.stage(count + id, vectorOf(id));
  await graph.linkStaged({ isOver: false, next: nextTurn }, nextTurn);
  release();
  expect(graph.count).toBe(count / 2 + 200);
});
