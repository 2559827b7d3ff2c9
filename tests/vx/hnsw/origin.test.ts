/** Under L2 int8 rows are measured from where the vectors are: those far from nought are told apart as well as others. */
import { describe, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import type { StatePartName } from "../../../src/vx/hnsw/state.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";
import { addAll, clustered, recallOf, scattered } from "./vectors.ts";

const DIMENSION = 24;
/** More than a search scans. */
const COUNT = 2500;
const SHAPE = { dimension: DIMENSION, metric: "l2" } as const;

type Placed = (vector: Float32Array) => Float32Array;
const everywhere: Placed = (vector) => vector.map((x) => x + 1000);
const constant: Placed = (vector) => vector.map((x, i) => (i === 3 ? 1000 : x));
const mixed: Placed = (vector) => vector.map((x, i) => x + ([0, 5, -50, 700, 3000][i % 5] as number));
const asTheyAre: Placed = (vector) => vector;

const queries = clustered(60, DIMENSION, 2);

function pair(): [HnswGraph, ExactGraph] {
  return [new HnswGraph(SHAPE), new ExactGraph(SHAPE)];
}

function recall(graph: VectorGraph, exact: VectorGraph, place: Placed): number {
  const placed = queries.map(place);
  const search = (target: VectorGraph) => placed.map((query) => target.search(query, 10));
  return recallOf(search(graph), search(exact));
}

async function reopened(graph: HnswGraph): Promise<HnswGraph> {
  const { header, parts, release } = graph.exportState();
  const read = (name: StatePartName, places: Uint8Array[]) => {
    let offset = 0;
    for (const place of places) {
      parts.find((part) => part.name === name)?.read(offset, place);
      offset += place.byteLength;
    }
  };
  const opened = await HnswGraph.open(header, read);
  release();
  return opened;
}

describe.each([
  { name: "are all far from nought", place: everywhere },
  { name: "have one number that is always the same", place: constant },
  { name: "lie somewhere else by each dimension", place: mixed },
])("vectors that $name", ({ place }) => {
  const [graph, exact] = pair();
  addAll([graph, exact], clustered(COUNT, DIMENSION, 1).map(place));

  test("are found", () => {
    expect(recall(graph, exact, place)).toBeGreaterThan(0.97);
  });

  test("are found among some", () => {
    const allow = new SlotSet(graph.slotLimit);
    const some = new ExactGraph(SHAPE);
    for (let id = 0; id < COUNT; id++) {
      if (id % 3 > 0) continue;
      some.add(id, exact.get(id) as Float32Array);
      allow.add(graph.slotOf(id) as number);
    }
    const found = queries.map((query) => graph.search(place(query), 10, { allow }));
    expect(
      recallOf(
        found,
        queries.map((query) => some.search(place(query), 10)),
      ),
    ).toBeGreaterThan(0.97);
  });

  test("have the highest scores beside negatives", () => {
    let hits = 0;
    for (const [i, query] of queries.entries()) {
      const negatives = [place(queries[(i + 7) % 60] ?? query)];
      const highest = new Set(exact.searchNegatives(place(query), negatives, 10).ids);
      for (const id of graph.searchNegatives(place(query), negatives, 10).ids)
        hits += Number(highest.has(id));
    }
    expect(hits / (10 * queries.length)).toBeGreaterThan(0.97);
  });

  test("are found once the graph is opened, and what comes then as well", async () => {
    const [, whole] = pair();
    const opened = await reopened(graph);
    addAll([opened, whole], clustered(COUNT, DIMENSION, 1).map(place));
    addAll([opened, whole], clustered(1000, DIMENSION, 3).map(place), COUNT);
    expect(recall(opened, whole, place)).toBeGreaterThan(0.97);
  });
});

test("vectors are found that come to a few in a graph that was opened", async () => {
  const [graph, exact] = pair();
  addAll([graph, exact], clustered(31, DIMENSION, 1).map(everywhere));
  const opened = await reopened(graph);
  addAll([opened, exact], clustered(900, DIMENSION, 3).map(everywhere), 100);
  expect(recall(opened, exact, everywhere)).toBeGreaterThan(0.99);
});

test.each([
  ["away from nought", asTheyAre, everywhere],
  ["towards nought", everywhere, asTheyAre],
])("vectors are found that come elsewhere than the first: %s", (_, before, after) => {
  const [graph, exact] = pair();
  addAll([graph, exact], clustered(200, DIMENSION, 5).map(before));
  addAll([graph, exact], clustered(COUNT * 2, DIMENSION, 1).map(after), 200);
  expect(recall(graph, exact, after)).toBeGreaterThan(0.97);
});

test("vectors are found that come elsewhere once all others are deleted", () => {
  const [graph, exact] = pair();
  addAll([graph], clustered(COUNT, DIMENSION, 1).map(everywhere));
  for (let id = 0; id < COUNT; id++) graph.delete(id);
  addAll([graph, exact], clustered(COUNT, DIMENSION, 1));
  expect(recall(graph, exact, asTheyAre)).toBeGreaterThan(0.97);
});

test("vectors are found among which every eighteenth lies elsewhere", () => {
  const [graph, exact] = pair();
  const vectors = clustered(COUNT, DIMENSION, 1);
  addAll(
    [graph, exact],
    vectors.map((vector, i) => (i % 18 === 0 ? everywhere(vector) : vector)),
  );
  expect(recall(graph, exact, asTheyAre)).toBeGreaterThan(0.97);
});

test("vectors are found that lie all around, after some that lay on one side", () => {
  const random = randomOf(5);
  const sides = scattered(8, DIMENSION, 6).map((side) => side.map((x) => 300 * Math.sign(x)));
  const aside: Placed = (vector) => {
    const side = sides[Math.floor(random() * sides.length)] as Float32Array;
    return vector.map((x, i) => x + (side[i] as number));
  };
  const beside: Placed = (vector) => vector.map((x, i) => x + (sides[0]?.[i] as number));
  const [graph, exact] = pair();
  addAll([graph, exact], scattered(40, DIMENSION, 7).map(beside));
  addAll([graph, exact], scattered(COUNT, DIMENSION, 8).map(aside), 40);
  expect(recall(graph, exact, aside)).toBeGreaterThan(0.9);
});

test("no memory is lost when all is deleted, and others come, again and again", () => {
  const graph = new HnswGraph(SHAPE);
  const vectors = clustered(40, DIMENSION, 1).map(everywhere);
  const renew = () => {
    addAll([graph], vectors);
    for (let id = 0; id < vectors.length; id++) graph.delete(id);
  };
  renew();
  const { memoryBytes } = graph;
  for (let round = 0; round < 10; round++) renew();
  expect(graph.memoryBytes).toBe(memoryBytes);
});

test("vectors are found that all took the place of others elsewhere", () => {
  const [graph, exact] = pair();
  addAll([graph], clustered(300, DIMENSION, 5));
  addAll([graph], clustered(COUNT, DIMENSION, 1).map(everywhere));
  addAll([graph, exact], clustered(COUNT, DIMENSION, 4).map(mixed));
  expect(recall(graph, exact, mixed)).toBeGreaterThan(0.9);
});

test("slots that were left behind while pinned are measured from where the others are", () => {
  const [graph, exact] = pair();
  const former = clustered(20, DIMENSION, 1).map(everywhere);
  addAll([graph, exact], former);
  const release = graph.pin();
  const slots = graph.liveSlots();
  addAll([graph], clustered(400, DIMENSION, 3).map(everywhere));
  const search = queries.map((query) => graph.searchAmong(everywhere(query), 10, slots));
  expect(
    recallOf(
      search,
      queries.map((query) => exact.search(everywhere(query), 10)),
    ),
  ).toBe(1);
  release();
});

test("vectors nearly as long as f32 holds are found from nought, whatever lies there first", () => {
  const graph = new HnswGraph({ dimension: 2, metric: "l2" });
  for (let id = 0; id < 40; id++) graph.add(id, Float32Array.of(1.7e19, id));
  graph.add(100, Float32Array.of(-1.7e19, 0));
  graph.add(101, Float32Array.of(-1e19, 0));
  graph.add(102, Float32Array.of(1e18, 0));
  const { ids } = graph.search(Float32Array.of(-2e18, 0), 3);
  expect(Array.from(ids)).toEqual([102n, 101n, 100n]);
});
