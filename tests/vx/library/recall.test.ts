/** How much of the truth filtered searches find, at every selectivity, while records come and go. */
import { describe, expect, it } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { clustered, recallOf } from "../hnsw/vectors.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

const COUNT = 6000;
const DIMENSION = 24;
const QUERIES = 40;

/** Vector i lies in cluster i % 20, so that `kind` goes with nearness and `part` does not. */
const vectors = clustered(COUNT, DIMENSION, 1);
const metadata = (i: number) => ({ part: Math.floor(i / 20) % 1000, kind: i % 20 });

const filters: [name: string, sql: string, passes: (i: number) => boolean][] = [
  ["half", "part < 150", (i) => metadata(i).part < 150],
  ["a tenth", "part < 30", (i) => metadata(i).part < 30],
  ["a hundredth", "part < 3", (i) => metadata(i).part < 3],
  ["a thousandth", "part = 0 AND kind < 6", (i) => metadata(i).part === 0 && metadata(i).kind < 6],
  ["far clusters alone", "kind IN (3, 4)", (i) => [3, 4].includes(metadata(i).kind)],
];

describe("filtered search", () => {
  it.each(filters)("finds 95 % of the 10 nearest where %s pass", async (_, sql, passes) => {
    const vx = new Vx({ dimension: DIMENSION, distance: "l2" }, inlineHost(new MemoryDisk()));
    const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
    const ids = vectors.map((_, i) => i);
    await vx.batchAdd(ids, vectors, ids.map(metadata));
    for (const i of ids) exact.add(i, vectors[i] as Float32Array);
    for (const i of ids.filter((id) => id % 9 === 0)) {
      await vx.delete(i);
      exact.delete(i);
    }
    const allow = new SlotSet(exact.slotLimit);
    allow.addAll(ids.filter((i) => i % 9 !== 0 && passes(i)));
    const found = [];
    const truth = [];
    for (const query of clustered(QUERIES, DIMENSION, 1)) {
      const results = await vx.searchWithFilter(query, 10, sql);
      expect(results.every(({ id }) => passes(Number(id)))).toBe(true);
      const expected = exact.search(query, 10, { allow });
      expect(results).toHaveLength(expected.ids.length);
      found.push({
        ids: BigUint64Array.from(results, ({ id }) => BigInt(id)),
        distances: Float32Array.from(results, ({ distance }) => distance),
      });
      truth.push(expected);
    }
    expect(recallOf(found, truth)).toBeGreaterThanOrEqual(0.95);
    await vx.close();
  });
});
