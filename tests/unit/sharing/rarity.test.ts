/** Chunks from rarest to most common: src/sharing/download/rarity. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RarityOrder } from "../../../src/sharing/download/rarity.ts";
import { MAX_COUNTED_HOLDERS, MAX_RUN_CHUNKS, RUNS } from "../../../src/sharing/limits.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";

describe("RarityOrder", () => {
  it("keeps chunks sorted by their number of holders through any changes", () => {
    const change = fc.tuple(fc.constantFrom("raise", "lower", "remove", "add"), fc.nat(19));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), fc.nat(), (changes, seed) => {
        const order = new RarityOrder(20, randomOf(seed));
        const levels = new Map<number, number>(Array.from({ length: 20 }, (_, index) => [index, 0]));
        const present = new Set(levels.keys());
        for (const [name, index] of changes) {
          order[name as "raise"](index);
          const level = levels.get(index) as number;
          if (name === "raise") levels.set(index, Math.min(32, level + 1));
          else if (name === "lower") levels.set(index, Math.max(0, level - 1));
          else if (name === "remove") present.delete(index);
          else present.add(index);
        }
        const listed = [...order];
        expect(new Set(listed)).toEqual(present);
        expect(listed.length).toBe(present.size);
        const listedLevels = listed.map((index) => levels.get(index) as number);
        expect(listedLevels).toEqual([...listedLevels].sort((a, b) => a - b));
        const [counted, others] = [
          (index: number) => levels.get(index) !== 0,
          (index: number) => levels.get(index) === 0,
        ];
        expect([...order.countedFirst()]).toEqual([...listed.filter(counted), ...listed.filter(others)]);
      }),
    );
  });

  it("keeps every chunk, also of more holders than are counted", () => {
    const order = new RarityOrder(3, () => 0);
    for (let holders = 0; holders < MAX_COUNTED_HOLDERS + 5; holders++) order.raise(1);
    expect([...order].at(-1)).toBe(1);
    order.raise(0);
    order.remove(0);
    expect([...order]).toEqual([2, 1]);
    order.add(0);
    expect([...order]).toEqual([2, 0, 1]);
  });

  it("goes through a large file in short runs, in an order of its own", () => {
    const order = [...new RarityOrder(2000, randomOf(1))];
    const breaks = order.filter((index, at) => Math.abs(index - (order[at - 1] ?? index)) > 1).length;
    const runCount = 2000 / MAX_RUN_CHUNKS;
    expect(breaks).toBeGreaterThan(0.8 * runCount);
    expect(breaks).toBeLessThan(runCount);
  });

  it("gives a run's chunks one after the other while each is taken that comes first", () => {
    const chunkCount = 100;
    const order = new RarityOrder(chunkCount, randomOf(1));
    const taken: number[] = [];
    for (let [first] = order; first !== undefined; [first] = order) {
      order.remove(first);
      taken.push(first);
    }
    expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: chunkCount }, (_, index) => index));
    const breaks = taken.filter((index, at) => index !== (taken[at - 1] ?? index - 1) + 1).length;
    expect(breaks).toBeLessThanOrEqual(RUNS);
  });
});
