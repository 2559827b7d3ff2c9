/** The database in memory: what a full memory leaves behind, and where its functions of time stand. */
import { expect, test } from "vitest";
import { SIDE, Table } from "../../../src/vx/metadata/table.ts";
import { TextStore } from "../../../src/vx/metadata/text-store.ts";
import { Database } from "../../../src/vx/sql/database.ts";
import { quoteName } from "../../../src/vx/sql/names.ts";

test("a change that memory is too small for is undone as a whole, and smaller ones go on", async () => {
  const database = await Database.open();
  const table = new Table(database, new TextStore({ shared: false }));
  const ignore = () => undefined;
  const write = (slot: number, text: string) =>
    table.change(() => table.write(slot, BigInt(slot), text), ignore);
  write(0, '{"a":"first"}');
  database.engine.mostBytes = database.engine.memoryBytes + 8 * 1024 * 1024;
  const manyNewKeys = Object.fromEntries(
    Array.from({ length: 500 }, (_, i) => [`key ${i}`, "x".repeat(1000)]),
  );
  const fill = () => {
    for (let slot = 0; slot < 1000; slot++) table.write(slot, BigInt(slot), JSON.stringify(manyNewKeys));
  };
  for (let i = 0; i < 3; i++) {
    expect(() => table.change(fill, ignore)).toThrowError(
      expect.objectContaining({ code: "capacity_exceeded" }),
    );
    expect(table.slots.count).toBe(1);
    expect(table.textOf(0)).toBe('{"a":"first"}');
    expect([...table.keys].map(({ name, records }) => [name, records])).toEqual([["a", 1]]);
    expect(table.keys.columnCount).toBe(1);
  }
  write(1, '{"a":"second","b":1}');
  expect(table.textOf(1)).toBe('{"a":"second","b":1}');
  const side = database.prepare(`SELECT count(*) FROM ${quoteName(SIDE)}`);
  expect(side.step() && side.integer(0)).toBe(0);
  side.finalize();
});

test("local time is UTC", async () => {
  const database = await Database.open();
  const now = database.prepare("SELECT datetime(1e9, 'unixepoch'), datetime(1e9, 'unixepoch', 'localtime')");
  expect(now.step()).toBe(true);
  expect([now.value(0), now.value(1)]).toEqual(["2001-09-09 01:46:40", "2001-09-09 01:46:40"]);
  now.finalize();
});

test("takes one statement, whole", async () => {
  const database = await Database.open();
  expect(database.prepare("SELECT 1").isReadOnly).toBe(true);
  for (const sql of ["SELECT 1; SELECT 2", ""])
    expect(() => database.prepare(sql)).toThrowError("One statement");
  expect(() => database.prepare("SELECT")).toThrowError("incomplete input");
});
