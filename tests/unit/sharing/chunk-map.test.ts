/** Maps of chunks: every chunk, samples of large files, and who brought what in earlier runs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_CHUNKS, MAX_TRANSFERS } from "../../../src/sharing/limits.ts";
import { ChunkSources, chunkMap, UNKNOWN_SOURCE } from "../../../src/sharing/transfers/chunk-map.ts";

const map = (chunkCount: number, maxEntries: number, isHeld: (index: number) => boolean) =>
  chunkMap({
    chunkCount,
    maxEntries,
    isHeld,
    isAsked: (index) => !isHeld(index),
    sourceOf: (index) => index % 3,
    peers: ["a", "b", "c"],
  });

describe("a map of chunks", () => {
  it("tells every chunk where there is room", () => {
    const { states, sources } = map(5, 5, (index) => index !== 3);
    expect([...states]).toEqual([2, 2, 2, 1, 2]);
    expect([...sources]).toEqual([0, 1, 2, UNKNOWN_SOURCE, 1]);
  });

  it("of a larger file takes one chunk of each stretch, in order", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: MAX_CHUNKS }),
        fc.integer({ min: 1, max: 500 }),
        (chunks, most) => {
          const seen: number[] = [];
          const { states } = map(chunks, most, (index) => seen.push(index) > 0);
          const entries = Math.min(chunks, most);
          expect(states).toHaveLength(entries);
          for (const [entry, index] of seen.entries()) {
            expect(index).toBeGreaterThanOrEqual(Math.floor((entry * chunks) / entries));
            expect(index).toBeLessThan(Math.floor(((entry + 1) * chunks) / entries));
          }
        },
      ),
    );
  });

  it("of a larger file shows the shares of peers that brought chunks in turns", () => {
    for (const peers of [2, 3, 4, 8]) {
      let first = 0;
      map(64_000, 1000, (index) => {
        if (index % peers === 0) first += 1;
        return true;
      });
      expect(Math.abs(first / 1000 - 1 / peers)).toBeLessThan(0.05);
    }
  });
});

describe("who brought the chunks of earlier runs", () => {
  it("is known with what a later run adds", () => {
    const kept = new ChunkSources();
    kept.keep("t", Uint8Array.of(0, UNKNOWN_SOURCE, 1));
    kept.keep("t", Uint8Array.of(UNKNOWN_SOURCE, 2, UNKNOWN_SOURCE));
    expect([0, 1, 2, 3].map((index) => kept.sourceOf("t", index))).toEqual([0, 2, 1, UNKNOWN_SOURCE]);
    expect(kept.sourceOf("other", 0)).toBe(UNKNOWN_SOURCE);
  });

  it("is forgotten of the oldest transfers, so that memory is bounded", () => {
    const kept = new ChunkSources();
    for (const id of ["a", "b", "c"]) kept.keep(id, new Uint8Array(MAX_CHUNKS));
    expect(["a", "b", "c"].map((id) => kept.sourceOf(id, 7))).toEqual([UNKNOWN_SOURCE, 0, 0]);
  });

  it("is forgotten of the oldest of many small ones, too", () => {
    const kept = new ChunkSources();
    for (let i = 0; i <= MAX_TRANSFERS; i++) kept.keep(`${i}`, Uint8Array.of(0));
    expect([0, 1, MAX_TRANSFERS].map((id) => kept.sourceOf(`${id}`, 0))).toEqual([UNKNOWN_SOURCE, 0, 0]);
  });
});
