/** Long scans of filters and facets: others get their turn between slices, and what changes meanwhile is told right. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { FilterScan } from "../../../src/vx/metadata/filter-scan.ts";
import {
  MAX_KEPT_NAME_CHARS,
  MIN_INDEXED_RECORDS,
  SCAN_TIME_MS,
  SCANS_BEFORE_INDEX,
  SLICE_TIME_MS,
} from "../../../src/vx/metadata/limits.ts";
import type { MetadataIndex, Narrowing } from "../../../src/vx/metadata/metadata-index.ts";
import { Database, StatementTooLong } from "../../../src/vx/sql/database.ts";
import { Statement } from "../../../src/vx/sql/statement.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { indexOf, slotsOf } from "./records.ts";

/** Turns that are over at every look; `between` is called in each, with its number. */
function turnsWith(between: (turn: number) => void = () => {}) {
  let count = 0;
  return {
    isOver: true,
    get count() {
      return count;
    },
    async next() {
      between(count++);
    },
  };
}

const set = (index: MetadataIndex, slot: number, n: unknown) =>
  index.set(slot, BigInt(slot), JSON.stringify({ n }));

describe("a scan in slices", () => {
  afterEach(() => vi.restoreAllMocks());

  // A key of numbers and booleans makes facets look into each record found.
  const records = () => Array.from({ length: 3000 }, (_, i) => ({ n: i % 3 === 0 ? true : i % 3 }));
  const facets = { n: 1 };

  test("finds what a scan at once does", async () => {
    const index = await indexOf(records());
    const turns = turnsWith();
    await index.prepare({ facets }, turns);
    expect(turns.count).toBeGreaterThan(2);
    const sliced = slotsOf(index.facets(facets));
    expect(sliced).toHaveLength(1000);
    expect(sliced).toEqual(slotsOf((await indexOf(records())).facets(facets)));
    expect(index.lasting({ facets })).toBe(index.facets(facets));
  });

  test("sees what changes before and behind it, and what is added", async () => {
    const index = await indexOf(records());
    const changes: Record<number, () => void> = {
      1: () => set(index, 1, 2),
      2: () => set(index, 2999, 1),
      3: () => {
        index.delete(4);
        index.delete(2500);
        set(index, 3, 1);
        set(index, 100_000, 1);
      },
    };
    await index.prepare(
      { facets },
      turnsWith((turn) => changes[turn]?.()),
    );
    const found = slotsOf(index.facets(facets));
    const whole = records().map(({ n }) => n === 1);
    for (const [slot, isIn] of [
      [1, false],
      [2999, true],
      [4, false],
      [2500, false],
      [3, true],
      [100_000, true],
    ] as const)
      whole[slot] = isIn;
    expect(found).toEqual([...whole.keys()].filter((slot) => whole[slot]));
  });

  test("for facets too long to be kept leaves the sets that are kept", async () => {
    const index = await indexOf(records());
    index.filter("n = 1");
    const long = { facets: { n: "x".repeat(MAX_KEPT_NAME_CHARS) } };
    await index.prepare(long, turnsWith());
    const scans = vi.spyOn(FilterScan.prototype, "whole");
    expect(slotsOf(index.facets(long.facets))).toEqual([]);
    expect(slotsOf(index.filter("n = 1"))).toHaveLength(2000);
    expect(scans).not.toHaveBeenCalled();
  });

  test("begins anew when more changed than it can know", async () => {
    const index = await indexOf(records());
    const all = Array.from({ length: 17_000 }, (_, slot) => ({ slot, id: BigInt(slot), text: '{"n":1}' }));
    await index.prepare(
      { facets },
      turnsWith((turn) => {
        if (turn === 2) index.setAll(all);
      }),
    );
    expect(slotsOf(index.facets(facets))).toHaveLength(17_000);
  });

  test.each<Narrowing>([{ filter: "n = 1" }, { facets }])(
    "that is kept is renewed in slices where many records changed %#",
    async (narrowing) => {
      const index = await indexOf(records());
      const found = () =>
        slotsOf("filter" in narrowing ? index.filter(narrowing.filter) : index.facets(facets));
      expect(found()).toHaveLength("filter" in narrowing ? 2000 : 1000);
      const slots = Array.from({ length: 3500 }, (_, slot) => slot);
      index.setAll(slots.map((slot) => ({ slot, id: BigInt(slot), text: `{"n":${slot % 2}}` })));
      const whole = vi.spyOn(FilterScan.prototype, "whole");
      const turns = turnsWith((turn) => {
        if (turn === 1) for (const slot of [0, 3000, 4000]) set(index, slot, 1);
        if (turn === 2) index.delete(1);
      });
      await index.prepare(narrowing, turns);
      expect(turns.count).toBeGreaterThan(20);
      const odd = slots.filter((slot) => slot % 2 === 1 && slot > 1);
      expect(found()).toEqual([...odd, 0, 3000, 4000].sort((a, b) => a - b));
      expect(whole).not.toHaveBeenCalled();
    },
  );

  test.each<Narrowing>([
    { filter: "text LIKE '%a%ab' AND n >= 0" },
    { filter: `text LIKE '%a%ab' AND n >= 0${" ".repeat(20_000)}` },
    { filter: "text LIKE '%a%ab' AND random() IS NOT NULL" },
  ])("is made of a filter that takes longer than a slice %#", async (narrowing) => {
    const text = "a".repeat(4000);
    const index = await indexOf(
      Array.from({ length: 80 }, (_, n) => ({ n, text: n % 9 ? text : `${text}b` })),
    );
    const turns = turnsWith();
    // Longer than a slice on any machine.
    let nowMs = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 10));
    await Promise.all([index.prepare(narrowing, turns), index.prepare(narrowing, turns)]);
    expect(turns.count).toBeGreaterThan(0);
    expect(slotsOf(index.filter((narrowing as { filter: string }).filter))).toHaveLength(9);
  });

  test("lasts no longer for what changed behind it, where its filter asks for chance", async () => {
    const text = "a".repeat(4000);
    const index = await indexOf(Array.from({ length: 80 }, (_, n) => ({ n, text })));
    let nowMs = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 10));
    const filter = "text LIKE '%a%ab' AND random() IS NOT NULL";
    // More than are looked at anew before the last slice.
    const turns = turnsWith((turn) => {
      if (turn === 1) for (let slot = 0; slot < 80; slot++) set(index, slot, 1);
    });
    await index.prepare({ filter }, turns);
    expect(turns.count).toBeGreaterThan(2);
    expect(index.lasting({ filter })).toBeUndefined();
  });

  /** Each look at the clock takes so long. */
  function looksTake(ms: number): { nowMs: number } {
    const clock = { nowMs: performance.now() };
    vi.spyOn(performance, "now").mockImplementation(() => (clock.nowMs += ms));
    return clock;
  }

  test("is cut short and has fewer records where those to come take longer", async () => {
    const index = await indexOf(Array.from({ length: 6000 }, (_, n) => ({ n })));
    const sums = Array.from({ length: 50 }, (_, i) => `abs(n) + ${i} = 0`);
    const clock = looksTake(0.1);
    const ends = [clock.nowMs];
    const filter = `n < 3000 OR ${sums.join(" OR ")}`;
    await index.prepare(
      { filter },
      turnsWith(() => void ends.push(clock.nowMs)),
    );
    const longestMs = Math.max(...ends.slice(1).map((endMs, at) => endMs - (ends[at] ?? 0)));
    expect(longestMs).toBeLessThan(SLICE_TIME_MS + 5);
    expect(slotsOf(index.filter(filter))).toHaveLength(3000);
  });

  test("is given up once all slices together took its time", async () => {
    const index = await indexOf(records());
    looksTake(300);
    await expect(index.prepare({ filter: "abs(n) = 1" }, turnsWith())).rejects.toThrow(StatementTooLong);
  });

  test("of a key that is often compared gets that key an index, however long it takes", async () => {
    const index = await indexOf(Array.from({ length: MIN_INDEXED_RECORDS }, (_, n) => ({ n })));
    looksTake(300);
    for (let scan = 0; scan < SCANS_BEFORE_INDEX; scan++) {
      expect(index.tend()).toBe(false);
      const prepared = index.prepare({ filter: `n = ${scan}` }, turnsWith());
      await expect(prepared).rejects.toThrow(StatementTooLong);
    }
    expect(index.tend()).toBe(true);
  });

  test("tells at once what fails in one of them", async () => {
    const index = await indexOf(Array.from({ length: 3000 }, (_, n) => ({ text: n < 2999 ? "{}" : "x" })));
    const clock = looksTake(10);
    const startMs = clock.nowMs;
    const filter = "json_extract(lower(text), '$.a') = 1";
    await expect(index.prepare({ filter }, turnsWith())).rejects.toThrow("malformed JSON");
    expect(clock.nowMs - startMs).toBeLessThan(SCAN_TIME_MS);
  });

  test("leaves no statement behind, and neither do one at once and one of what changed", async () => {
    const index = await indexOf(records());
    index.filter("n = 1");
    set(index, 0, 1);
    const prepare = vi.spyOn(Database.prototype, "prepare");
    const finalize = vi.spyOn(Statement.prototype, "finalize");
    index.filter("n = 1");
    index.filter("n = 2");
    looksTake(10);
    const turns = turnsWith();
    await index.prepare({ filter: "n = 3" }, turns);
    expect(prepare.mock.calls.length).toBeGreaterThan(turns.count);
    expect(new Set(finalize.mock.contexts)).toEqual(new Set(prepare.mock.results.map(({ value }) => value)));
  });

  test("is in few slices where each takes long for a long list in the filter, however few records it has", async () => {
    const index = await indexOf(records());
    const list = Array.from({ length: 20_000 }, (_, n) => n + 2).join(", ");
    looksTake(0.1);
    const turns = turnsWith();
    await index.prepare({ filter: `n IN (${list})` }, turns);
    expect(turns.count).toBeLessThan(10);
    expect(slotsOf(index.filter(`n IN (${list})`))).toHaveLength(1000);
  });

  test("is made once for all who ask at a time, also of a filter whose set does not stay", async () => {
    const filter = "text LIKE '%a%ab' AND random() IS NOT NULL";
    const text = "a".repeat(4000);
    const index = await indexOf(
      Array.from({ length: 80 }, (_, n) => ({ n, text: n % 9 ? text : `${text}b` })),
    );
    let nowMs = performance.now();
    const now = vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 10));
    const whole = vi.spyOn(FilterScan.prototype, "whole");
    const found = async () => {
      await index.prepare({ filter }, turnsWith());
      return slotsOf(index.filter(filter));
    };
    for (const slots of await Promise.all([found(), found(), found()])) expect(slots).toHaveLength(9);
    expect(whole).toHaveBeenCalledTimes(1);
    now.mockRestore();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(slotsOf(index.filter(filter))).toHaveLength(9);
    expect(whole).toHaveBeenCalledTimes(2);
  });
});
