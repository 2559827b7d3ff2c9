/** Filtered search: k results whenever k match, and the nearest of them, however many match and wherever they lie. */
import { beforeAll, describe, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";
import { addAll, clustered, recallOf } from "./vectors.ts";

/** Enough that three quarters are more than a search would scan in place of any walk, so that every kind of walk is met. */
const COUNT = 60_000;
const DIMENSION = 12;
const CLUSTERS = 50;
const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", m: 12, efConstruction: 60 });
const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
const queries = clustered(20, DIMENSION, 1, CLUSTERS);

/** Beside other work on the machine, building takes longer than vitest waits. */
const BUILD_MS = 60_000;

beforeAll(() => addAll([graph, exact], clustered(COUNT, DIMENSION, 1, CLUSTERS)), BUILD_MS);

function recall(matches: (slot: number) => boolean): number {
  const allow = new SlotSet(graph.slotLimit);
  for (let slot = 0; slot < COUNT; slot++) if (matches(slot)) allow.add(slot);
  const found = queries.map((query) => graph.search(query, 10, { allow }));
  for (const { ids } of found) for (const id of ids) expect(allow.has(Number(id))).toBe(true);
  return recallOf(
    found,
    queries.map((query) => exact.search(query, 10, { allow })),
  );
}

describe.each([0.75, 0.5, 0.4, 0.35, 0.1, 0.01, 0.001])("where a share of %d matches", (share) => {
  test("finds 95 % of the nearest matches of a random filter", () => {
    const random = randomOf(9);
    const drawn = Array.from({ length: COUNT }, () => random() < share);
    expect(recall((slot) => drawn[slot] === true)).toBeGreaterThan(0.95);
  });

  test("finds 95 % of the nearest matches of a filter that takes whole clusters", () => {
    const taken = Math.max(1, Math.round(share * CLUSTERS));
    const matches =
      share < 1 / CLUSTERS
        ? (slot: number) => slot % CLUSTERS === 0 && slot < share * COUNT * CLUSTERS
        : (slot: number) => slot % CLUSTERS < taken;
    expect(recall(matches)).toBeGreaterThan(0.95);
  });
});

test("finds every match where fewer than k match, wherever they lie", () => {
  const allow = new SlotSet(graph.slotLimit);
  allow.addAll([0, 31, 32, 40_000, COUNT - 1]);
  const query = queries[7] ?? new Float32Array(DIMENSION);
  expect([...graph.search(query, 10, { allow }).ids].sort()).toEqual(
    [0n, 31n, 32n, 40_000n, BigInt(COUNT - 1)].sort(),
  );
});

test("finds as many as k where k is most of what matches", () => {
  const allow = new SlotSet(graph.slotLimit);
  for (let slot = 0; slot < COUNT; slot += 2) allow.add(slot);
  expect(new Set(graph.search(new Float32Array(DIMENSION), 10_000, { allow }).ids).size).toBe(10_000);
});
