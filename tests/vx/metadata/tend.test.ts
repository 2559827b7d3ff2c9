/** Work on metadata that is done in steps when nobody waits: nothing asked for meanwhile or afterwards shows it. */
import { beforeEach, describe, expect, it } from "vitest";
import { SlotSet } from "../../../src/vx/hnsw/slot-set.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";

/** Enough for an index to be wanted, on slots so far apart that it is made in steps. */
const RECORDS = 12_000;
const STRIDE = 3;

let metadata: MetadataIndex;

beforeEach(async () => {
  metadata = await MetadataIndex.open();
});

function slotsOf(set: SlotSet): number[] {
  return Array.from({ length: set.words.length * 32 }, (_, slot) => slot).filter((slot) => set.has(slot));
}

function utf8(json: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(json);
}

function text(bucket: number): string {
  return JSON.stringify({ bucket, odd: bucket % 2 === 1 });
}

describe("an index on a key", () => {
  /** What each slot's bucket is. */
  const buckets = new Map<number, number>();

  function set(slot: number, bucket: number): void {
    metadata.set(slot, BigInt(slot), text(bucket));
    buckets.set(slot, bucket);
  }

  beforeEach(() => {
    buckets.clear();
    for (let i = 0; i < RECORDS; i++) buckets.set(i * STRIDE, i % 10);
    metadata.setAll(
      Array.from(buckets, ([slot, bucket]) => ({ slot, id: BigInt(slot), text: text(bucket) })),
    );
    for (const bucket of [1, 2, 3]) metadata.filter(`bucket = ${bucket}`);
  });

  function expectAllFound(): void {
    for (const bucket of [4, 7]) {
      const wanted = Array.from(buckets).flatMap(([slot, each]) => (each === bucket ? [slot] : []));
      const found = slotsOf(metadata.filter(`bucket = ${bucket} AND id >= ${-Math.random()}`));
      expect(found).toEqual(wanted.sort((a, b) => a - b));
    }
    expect(metadata.query("SELECT count(*) AS n, sum(bucket) AS b FROM metadata").rows).toEqual([
      { n: buckets.size, b: Array.from(buckets.values()).reduce((sum, bucket) => sum + bucket, 0) },
    ]);
  }

  it("is made while records come, change and go", () => {
    let steps = 0;
    while (metadata.tend()) {
      steps++;
      set(steps * 100 + 1, 4);
      set(steps * 600, 7);
      metadata.delete(steps * 900);
      buckets.delete(steps * 900);
      if (steps === 5) expectAllFound();
    }
    expect(steps).toBeGreaterThan(10);
    expectAllFound();
    set(0, 7);
    expectAllFound();
  });

  it("is begun again where records bring new keys meanwhile", () => {
    expect(metadata.tend()).toBe(true);
    expect(metadata.tend()).toBe(true);
    metadata.set(1, 1n, '{"bucket":4,"new":1}');
    buckets.set(1, 4);
    while (metadata.tend()) {}
    for (const bucket of [1, 2, 3]) metadata.filter(`bucket = ${bucket} AND new IS NULL`);
    let steps = 0;
    while (metadata.tend()) steps++;
    expect(steps).toBeGreaterThan(10);
    expectAllFound();
    expect(slotsOf(metadata.filter("new = 1"))).toEqual([1]);
  });

  it("is given up when the last record with the key goes", () => {
    metadata.tend();
    for (const slot of buckets.keys()) metadata.delete(slot);
    buckets.clear();
    while (metadata.tend()) {}
    expect(metadata.query("SELECT count(*) AS n FROM metadata").rows).toEqual([{ n: 0 }]);
  });
});

describe("records that a snapshot brought", () => {
  const COUNT = 5000;

  beforeEach(() => {
    metadata.setText(1, utf8('{"a":1}'));
    metadata.setText(4000, utf8('{"b":"two"}'));
    const slots = new SlotSet(COUNT);
    for (let slot = 1; slot < COUNT; slot++) slots.add(slot);
    metadata.setRowsToCome(slots, (slot) => BigInt(slot + 100));
  });

  it("are there for the first filter and query", () => {
    expect(metadata.count).toBe(COUNT - 1);
    expect(slotsOf(metadata.filter("a IS NULL"))).toHaveLength(COUNT - 2);
    expect(metadata.query("SELECT max(id) AS last FROM metadata").rows).toEqual([{ last: COUNT + 99 }]);
    expect(metadata.query("SELECT id, b FROM metadata WHERE b IS NOT NULL").rows).toEqual([
      { id: 4100, b: "two" },
    ]);
  });

  it("get their rows in steps", () => {
    let steps = 0;
    while (metadata.tend()) steps++;
    expect(steps).toBeGreaterThan(1);
    expect(metadata.count).toBe(COUNT - 1);
    expect(slotsOf(metadata.filter("a IS NULL"))).toHaveLength(COUNT - 2);
  });

  it("change and go before they have a row", () => {
    expect(metadata.delete(2)).toBe(true);
    expect(metadata.delete(2)).toBe(false);
    metadata.set(3, 103n, '{"a":1}');
    expect(metadata.get(3)).toBe('{"a":1}');
    expect(metadata.get(4)).toBeUndefined();
    expect(metadata.count).toBe(COUNT - 2);
    expect(slotsOf(metadata.filter("a = 1"))).toEqual([1, 3]);
    expect(slotsOf(metadata.filter("a IS NULL"))).toHaveLength(COUNT - 4);
  });

  it("are still to come where what was to replace them is refused", () => {
    const batch = [
      { slot: 1, id: 101n, text: '{"a":2}' },
      { slot: 2, id: 102n, text: '{"a":' },
    ];
    expect(() => metadata.setAll(batch)).toThrow("Metadata");
    expect(metadata.count).toBe(COUNT - 1);
    expect(slotsOf(metadata.filter("a = 1"))).toEqual([1]);
  });

  it("have their texts at once, and lose them before they have a row", () => {
    expect(metadata.get(4000)).toBe('{"b":"two"}');
    metadata.set(4000, 4100n, undefined);
    expect(metadata.delete(1)).toBe(true);
    expect([metadata.get(1), metadata.get(4000)]).toEqual([undefined, undefined]);
    expect(slotsOf(metadata.filter("a = 1 OR b = 'two'"))).toEqual([]);
    expect(metadata.count).toBe(COUNT - 2);
  });

  it("are refused with a text that is no JSON object", () => {
    for (const wrong of ['{"a":', '{"a":{"__proto__":1}}', '{"\\u005f_proto__":1}']) {
      expect(() => metadata.setText(7000, utf8(wrong))).toThrow("Metadata");
    }
    expect(metadata.get(7000)).toBeUndefined();
    metadata.setText(7000, utf8('{"a__b":"\\u00e9"}'));
    expect(metadata.get(7000)).toBe('{"a__b":"\\u00e9"}');
  });
});

it("starts SQLite with the first row that is written or asked for", () => {
  const slots = new SlotSet(2);
  slots.add(1);
  metadata.setRowsToCome(slots, () => 7n);
  metadata.setText(1, utf8('{"a":1}'));
  const beforeBytes = metadata.memoryBytes;
  expect([metadata.count, metadata.get(1), metadata.delete(0)]).toEqual([1, '{"a":1}', false]);
  expect(metadata.memoryBytes).toBe(beforeBytes);
  expect(metadata.query("SELECT id FROM metadata WHERE a = 1").rows).toEqual([{ id: 7 }]);
  expect(metadata.memoryBytes).toBeGreaterThan(beforeBytes);
});

it("starts nothing to tend an index without records", () => {
  const beforeBytes = metadata.memoryBytes;
  expect(metadata.tend()).toBe(false);
  expect(metadata.memoryBytes).toBe(beforeBytes);
});
