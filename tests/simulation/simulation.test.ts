/** The engine under some seeds: nodes that fail, lines that break, peers that lie, and a user who wants it all at once. */
import { describe, expect, it } from "vitest";
import { report, simulate } from "./simulation.ts";

/** A missing flush, a chunk left to a peer that is gone, and a use of a block that is not counted are seen in some of these. */
const SEEDS = Array.from({ length: 16 }, (_, at) => at + 36);

describe("what can be had comes, and nothing is left of it", () => {
  it.each(SEEDS)("seed %i", async (seed) => {
    const outcome = await simulate(seed);
    expect(outcome.breach, report(outcome)).toBeUndefined();
  });
});

it("a seed gives the same trace each time", async () => {
  const [first, second] = [await simulate(5), await simulate(5)];
  expect(first.trace.length).toBeGreaterThan(100);
  expect(second.trace).toEqual(first.trace);
});
