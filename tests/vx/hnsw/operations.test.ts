/** Any order of operations leaves the graph with what its exact twin holds. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { listOf } from "./vectors.ts";

const number = fc.float({ min: -8, max: 8, noNaN: true }).map((x) => Math.round(x * 4) / 4);
const vector = fc.array(number, { minLength: 3, maxLength: 3 }).map((xs) => Float32Array.from(xs));
const id = fc.nat({ max: 40 });
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant("add" as const), id, vector }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("delete" as const), id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("search" as const),
      vector,
      k: fc.integer({ min: 1, max: 50 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("filter" as const),
      vector,
      modulus: fc.integer({ min: 1, max: 5 }),
    }),
  },
);

test.each(["int8", "none"] as const)("holds and finds what its twin does (%s)", (quantization) => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      // An ef of 1 makes a search of more than 16 vectors walk.
      const graph = new HnswGraph({
        dimension: 3,
        metric: "l2",
        m: 3,
        efConstruction: 12,
        efSearch: 1,
        maxElements: 35,
        quantization,
      });
      const exact = new ExactGraph({ dimension: 3, metric: "l2", maxElements: 35 });
      for (const each of operations) {
        if (each.type === "add") {
          const outcomes = [graph, exact].map((target) => codeOf(() => target.add(each.id, each.vector)));
          expect(outcomes[0]).toBe(outcomes[1]);
        } else if (each.type === "delete") expect(graph.delete(each.id)).toBe(exact.delete(each.id));
        else if (each.type === "search") {
          const found = graph.search(each.vector, each.k);
          const truth = exact.search(each.vector, each.k);
          expect(found.ids).toHaveLength(truth.ids.length);
          for (const { id, distance } of listOf(found))
            expect(distance).toBe(distanceOf(exact, id, each.vector));
        } else {
          const matches = [...exact.ids()].filter((held) => held % BigInt(each.modulus) === 0n);
          const allow = new SlotSet(graph.slotLimit);
          allow.addAll(matches.map((held) => graph.slotOf(held) ?? -1));
          expect(new Set(graph.search(each.vector, 40, { allow }).ids)).toEqual(new Set(matches));
        }
      }
      expect(graph.ids().sort()).toEqual(exact.ids().sort());
      for (const held of exact.ids()) expect(graph.get(held)).toEqual(exact.get(held));
    }),
    { numRuns: 60 },
  );
});

function codeOf(act: () => unknown): string {
  try {
    act();
    return "done";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

function distanceOf(exact: ExactGraph, held: bigint, query: Float32Array): number {
  const vector = exact.get(held) ?? new Float32Array();
  return Math.fround(Math.hypot(...query.map((x, i) => x - (vector[i] ?? Number.NaN))));
}
