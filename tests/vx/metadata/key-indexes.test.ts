/** Which keys get an index, when, and which lose it: seen in the tables of SQLite itself. */
import { beforeEach, expect, it, vi } from "vitest";
import { VxError } from "../../../src/vx/errors.ts";
import { KeyIndexes } from "../../../src/vx/metadata/key-indexes.ts";
import type { Key } from "../../../src/vx/metadata/keys.ts";
import {
  MAX_INDEXES,
  MAX_RECORDS_INDEXED_AT_ONCE,
  MIN_INDEXED_RECORDS,
  SCANS_BEFORE_INDEX,
} from "../../../src/vx/metadata/limits.ts";
import { Table } from "../../../src/vx/metadata/table.ts";
import { TextStore } from "../../../src/vx/metadata/text-store.ts";
import { Database } from "../../../src/vx/sql/database.ts";

/** Slots below which an index is made in steps. */
const MANY = MAX_RECORDS_INDEXED_AT_ONCE + 1;

let database: Database;
let indexes: KeyIndexes;
let keys: Key[];

beforeEach(async () => {
  database = await Database.open();
  const table = new Table(database, new TextStore({ shared: false }));
  const record = Object.fromEntries(Array.from({ length: MAX_INDEXES + 2 }, (_, i) => [`k${i}`, i]));
  table.change(
    () => table.write(0, 0n, JSON.stringify(record)),
    () => undefined,
  );
  indexes = new KeyIndexes(database, table.keys);
  keys = [...table.keys];
});

/** Keys that have an index. */
function indexed(): string[] {
  const statement = database.prepare("SELECT sql FROM sqlite_master WHERE type = 'index'");
  const found: string[] = [];
  while (statement.step()) {
    const column = Number(/\(c(\d+)\)$/.exec(statement.text(0))?.[1]);
    found.push(keys.find((key) => key.column === column)?.name ?? `column ${column}`);
  }
  statement.finalize();
  return found.sort();
}

function key(index: number): Key {
  return keys[index] as Key;
}

function scan(index: number, times = SCANS_BEFORE_INDEX, rows = MIN_INDEXED_RECORDS): void {
  for (let i = 0; i < times; i++) indexes.used([key(index)], rows);
}

/** All that there is to do, within a number of steps that no index takes. */
function tendAll(limit: number): void {
  let steps = 0;
  while (indexes.tend(limit)) expect(++steps).toBeLessThan(100);
}

it.each([1, MANY])("makes one after so many long scans (slots below %i)", (limit) => {
  scan(0, SCANS_BEFORE_INDEX - 1);
  scan(0, 100, MIN_INDEXED_RECORDS - 1);
  expect(indexes.tend(limit)).toBe(false);
  expect(indexed()).toEqual([]);
  scan(0, 1);
  tendAll(limit);
  expect(indexed()).toEqual(["k0"]);
});

it("makes the one that was wanted first, at once where there are few records", () => {
  scan(1);
  scan(0);
  expect(indexes.tend(MAX_RECORDS_INDEXED_AT_ONCE)).toBe(true);
  expect(indexed()).toEqual(["k1"]);
  expect(indexes.tend(MAX_RECORDS_INDEXED_AT_ONCE)).toBe(false);
});

it("makes none for a key that no record has any more", () => {
  scan(0);
  key(0).records = 0;
  expect(indexes.tend(1)).toBe(false);
  expect(indexed()).toEqual([]);
});

it.each([1, MANY])(
  "holds so many, and gives up the one that was not used for longest (slots below %i)",
  (limit) => {
    for (let i = 0; i < MAX_INDEXES; i++) {
      scan(i);
      tendAll(limit);
    }
    expect(indexed()).toHaveLength(MAX_INDEXES);
    indexes.used([key(0)], 0);
    scan(MAX_INDEXES);
    tendAll(limit);
    expect(indexed()).toEqual(
      keys.slice(0, MAX_INDEXES + 1).flatMap(({ name }) => (name === "k1" ? [] : [name])),
    );
    // The one given up is made again for scans to come alone.
    scan(1, SCANS_BEFORE_INDEX - 1);
    expect(indexes.tend(limit)).toBe(false);
  },
);

it("gives up one that is being made when its key goes, and not for another's", () => {
  scan(0);
  expect(indexes.tend(MANY)).toBe(true);
  indexes.drop(key(1));
  expect(indexed()).toEqual(["k0"]);
  indexes.drop(key(0));
  expect(indexed()).toEqual([]);
  expect(indexes.tend(MANY)).toBe(false);
});

it("drops one that was made in steps with others, when its key goes", () => {
  for (const index of [0, 1]) {
    scan(index);
    tendAll(MANY);
  }
  expect(indexed()).toEqual(["k0", "k1"]);
  indexes.drop(key(0));
  expect(indexed()).toEqual(["k1"]);
});

it("goes on without one where memory is short, and tells of any other failure", () => {
  const failures = [new VxError("capacity_exceeded", "full"), new VxError("internal", "broken")];
  const execute = database.execute.bind(database);
  vi.spyOn(database, "execute").mockImplementation((sql) => {
    if (sql.startsWith("INSERT OR IGNORE")) throw failures.shift() ?? new Error("asked too often");
    execute(sql);
  });
  scan(0);
  expect(indexes.tend(MANY)).toBe(true);
  expect(indexes.tend(MANY)).toBe(false);
  expect(indexed()).toEqual([]);
  scan(0);
  expect(indexes.tend(MANY)).toBe(true);
  expect(() => indexes.tend(MANY)).toThrow("broken");
  expect(indexed()).toEqual([]);
});
