/** Chunks as columns of pixels: src/ui/drawings/chunk-columns. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chunkColumns,
  chunkRuns,
  isAnyFromBefore,
  NO_SOURCE,
} from "../../../src/ui/drawings/chunk-columns.ts";

function textsOf(states: readonly number[], sources: readonly number[]) {
  return {
    states: states.join(""),
    sources: btoa(String.fromCharCode(...sources)),
  };
}

const chunks = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom(0, 1, 2, NO_SOURCE)), {
  minLength: 1,
  maxLength: 200,
});

describe("chunks in runs", () => {
  it("merges neighbours of one state and source", () => {
    const runs = chunkRuns(textsOf([2, 2, 2, 1, 0, 0], [0, 0, 1, NO_SOURCE, NO_SOURCE, NO_SOURCE]));
    expect([...runs.starts]).toEqual([0, 2, 3, 4]);
    expect([...runs.states]).toEqual([2, 2, 1, 0]);
    expect([...runs.sources]).toEqual([0, 1, NO_SOURCE, NO_SOURCE]);
  });

  it("tells whether some were here before the peers of the transfer brought theirs", () => {
    expect(isAnyFromBefore(chunkRuns(textsOf([2, 2, 0], [0, NO_SOURCE, NO_SOURCE])))).toBe(true);
    expect(isAnyFromBefore(chunkRuns(textsOf([2, 1, 0], [0, NO_SOURCE, NO_SOURCE])))).toBe(false);
  });
});

describe("chunks in columns", () => {
  it("are each their own column where there is one for each", () => {
    fc.assert(
      fc.property(chunks, (given) => {
        const states = given.map(([state]) => state);
        const sources = given.map(([, source]) => source);
        const columns = chunkColumns(chunkRuns(textsOf(states, sources)), given.length);
        expect([...columns.held]).toEqual(states.map((state) => (state === 2 ? 1 : 0)));
        expect([...columns.asked]).toEqual(states.map((state) => (state === 1 ? 1 : 0)));
        const brought = sources.map((source, index) => (states[index] === 2 ? source : NO_SOURCE));
        expect([...columns.sources]).toEqual(brought);
      }),
    );
  });

  it("keep the share held, whatever the number of columns that divides the chunks", () => {
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 20 }), (given, columnCount) => {
        const repeated = given.flatMap((chunk) => Array.from({ length: columnCount }, () => chunk));
        const runs = chunkRuns(
          textsOf(
            repeated.map(([state]) => state),
            repeated.map(([, source]) => source),
          ),
        );
        const { held } = chunkColumns(runs, given.length);
        const mean = held.reduce((sum, share) => sum + share, 0) / given.length;
        const share = given.filter(([state]) => state === 2).length / given.length;
        expect(mean).toBeCloseTo(share, 5);
      }),
    );
  });

  it("take the colour of the peer that brought most", () => {
    const columns = chunkColumns(chunkRuns(textsOf([2, 2, 2, 2, 2], [0, 1, 1, 0, 1])), 1);
    expect([...columns.sources]).toEqual([1]);
  });

  it("show a chunk over several columns where it is wide", () => {
    const { held } = chunkColumns(chunkRuns(textsOf([2, 0], [0, NO_SOURCE])), 6);
    expect([...held]).toEqual([1, 1, 1, 0, 0, 0]);
  });

  it("estimate a column of very many runs by some of them", () => {
    const states = Array.from({ length: 30_000 }, (_, index) => (index % 3 === 0 ? 2 : 0));
    const runs = chunkRuns({
      states: states.join(""),
      sources: btoa(String.fromCharCode(3).repeat(states.length)),
    });
    const { held, sources } = chunkColumns(runs, 10);
    for (const share of held) expect(share).toBeGreaterThan(0.2);
    for (const share of held) expect(share).toBeLessThan(0.5);
    expect([...sources]).toEqual(Array.from({ length: 10 }, () => 3));
  });

  it("are empty for a file whose chunks are not known yet", () => {
    const { held, asked } = chunkColumns(chunkRuns(textsOf([], [])), 3);
    expect([...held, ...asked]).toEqual([0, 0, 0, 0, 0, 0]);
  });
});
