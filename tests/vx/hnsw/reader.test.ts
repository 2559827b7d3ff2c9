/** A second view of a graph: finds what the graph finds, whatever happened to it, and where it can't, says so. */
import { afterEach, describe, expect, test } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/threads/link-threads.ts";
import type { GraphOptions } from "../../../src/vx/hnsw/graph.ts";
import { GraphReader, type ReaderJob, type SlottedNeighbours } from "../../../src/vx/hnsw/graph-reader.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MAX_DIMENSION, MAX_READER_EF } from "../../../src/vx/hnsw/limits.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { addAll, clustered, scattered } from "./vectors.ts";

const DIMENSION = 24;
const graphs: HnswGraph[] = [];

afterEach(() => {
  for (const graph of graphs.splice(0)) graph.close();
});

function shared(options: Partial<GraphOptions> = {}): { graph: HnswGraph; reader: GraphReader } {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", ...options }, nodeLinkThreads(1));
  graphs.push(graph);
  return { graph, reader: new GraphReader(graph.openReader() as ReaderJob) };
}

function changed(graph: HnswGraph, change: () => void): void {
  const open = graph.closeToReader();
  change();
  open();
}

/** Of all slots, and of every third and every thirtieth. */
function expectSame(graph: HnswGraph, reader: GraphReader, k = 10): void {
  for (const share of [1, 3, 30]) {
    const allow = share === 1 ? undefined : new SlotSet(graph.slotLimit);
    for (let slot = 0; slot < graph.slotLimit; slot += share) allow?.add(slot);
    for (const query of clustered(20, DIMENSION, 9)) {
      const { slots, ...found } = reader.search(query, k, allow) as SlottedNeighbours;
      expect(found).toEqual(graph.search(query, k, allow && { allow }));
      expect(Array.from(slots, (slot) => graph.idIn(slot))).toEqual(Array.from(found.ids));
    }
  }
}

describe.each(["cosine", "l2"] as const)("a reader, %s", (metric) => {
  test.each(["int8", "none"] as const)(
    "finds what the graph finds, after every change (%s)",
    (quantization) => {
      const { graph, reader } = shared({ metric, quantization });
      expectSame(graph, reader);
      const steps: (() => void)[] = [
        () => addAll([graph], clustered(5, DIMENSION, 1)),
        // Beyond the first tables, and from scans to walks.
        () => addAll([graph], clustered(6000, DIMENSION, 1)),
        () => addAll([graph], clustered(500, DIMENSION, 2), 3000),
        () => {
          for (let id = 0; id < 6000; id += 3) graph.delete(id);
        },
        () => addAll([graph], clustered(3000, DIMENSION, 3), 1000),
        () => {
          for (const id of graph.ids()) graph.delete(id);
        },
        () => addAll([graph], clustered(30, DIMENSION, 4), 7),
        // Far from nought, where rows are measured from elsewhere.
        () =>
          addAll(
            [graph],
            clustered(3000, DIMENSION, 5).map((vector) => vector.map((x) => x + 100)),
          ),
        () => {
          for (const id of graph.ids()) graph.delete(id);
        },
        () => addAll([graph], clustered(300, DIMENSION, 6)),
      ];
      for (const step of steps) {
        changed(graph, step);
        expectSame(graph, reader);
        expectSame(graph, reader, 100);
      }
    },
  );
});

test("has room for as many candidates as it takes, of the longest vectors, and declines more", () => {
  const { graph, reader } = shared({ dimension: MAX_DIMENSION, efSearch: MAX_READER_EF });
  const vector = new Float32Array(MAX_DIMENSION);
  changed(graph, () => {
    for (let id = 0; id < 1200; id++) graph.add(id, vector.fill(Math.sin(id)));
  });
  for (const k of [1, 10, 100, 500, MAX_READER_EF]) expect(reader.search(vector, k)?.ids).toHaveLength(k);
  expect(reader.search(vector, MAX_READER_EF + 1)).toBeUndefined();
});

test("searches hundreds of times on the same marks", () => {
  const { graph, reader } = shared();
  changed(graph, () => addAll([graph], clustered(3000, DIMENSION, 1)));
  for (let i = 0; i < 20; i++) expectSame(graph, reader);
});

test("follows another on the same job, as after a restore that failed", () => {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2" }, nodeLinkThreads(1));
  graphs.push(graph);
  addAll([graph], scattered(6000, DIMENSION, 1));
  const job = graph.openReader() as ReaderJob;
  // Each search is the first of its reader, and looks where the one before has been.
  for (const query of scattered(10, DIMENSION, 2)) {
    expect(new GraphReader(job).search(query, 50)).toMatchObject(graph.search(query, 50));
  }
});

test("refuses what is no vector", () => {
  const { reader } = shared({ metric: "cosine" });
  const refused = expect.objectContaining({ code: "invalid_vector" });
  for (const number of [0, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => reader.search(new Float32Array(DIMENSION).fill(number), 1)).toThrowError(refused);
  }
  expect(() => reader.search(new Float32Array(DIMENSION + 1), 1)).toThrowError(/dimension/i);
});

test("is kept out while the graph changes, and told of it", () => {
  const { graph, reader } = shared();
  const before = reader.version;
  const open = graph.closeToReader();
  expect(reader.tryEnter()).toBe(false);
  open();
  expect(reader.version).not.toBe(before);
  expect(reader.tryEnter()).toBe(true);
  reader.leave();
});

test("there is none of a graph in memory of its own", () => {
  expect(new HnswGraph({ dimension: 3, metric: "l2" }).openReader()).toBeUndefined();
});
