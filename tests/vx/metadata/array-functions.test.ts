/** The functions of arrays, where SQLite's memory grows while they look at their arguments. */
import { describe, expect, test } from "vitest";
import { addArrayFunctions } from "../../../src/vx/metadata/array-functions.ts";
import { Database } from "../../../src/vx/sql/database.ts";
import type { SqliteEngine } from "../../../src/vx/sql/engine.ts";
import { MAX_SQLITE_MEMORY_BYTES } from "../../../src/vx/sql/limits.ts";

const ELEMENTS = 20_000;
/** Of the array's text: `"aa",` each. */
const ARRAY_BYTES = ELEMENTS * 5;

/** Leaves so many bytes that can be had without growing. */
function leaveFree(engine: SqliteEngine, bytes: number): void {
  const { exports } = engine;
  const kept = engine.allocate(bytes);
  engine.mostBytes = engine.memoryBytes;
  for (let size = 2 ** 20; size >= 16; size /= 2) while (exports.malloc(size) !== 0);
  exports.free(kept);
  engine.mostBytes = MAX_SQLITE_MEMORY_BYTES;
}

async function resultOf(expression: string, freeBytes: number) {
  const database = await Database.open();
  addArrayFunctions(database, "facet");
  database.execute(`
    CREATE TABLE t(a);
    INSERT INTO t
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ELEMENTS})
      SELECT json_group_array('aa') FROM n`);
  leaveFree(database.engine, freeBytes);
  const before = database.engine.memoryBytes;
  const statement = database.prepare(`SELECT ${expression} FROM t`);
  statement.step();
  const result = statement.integer(0);
  statement.finalize();
  return { result, hasGrown: database.engine.memoryBytes > before };
}

describe("of an array that another function made", () => {
  // Room for none of the copies that are made of it, for one, and so on.
  const rooms = Array.from({ length: 8 }, (_, i) => (i + 1) * (ARRAY_BYTES / 2));

  test.each([
    ["json_array_contains(lower(a), 'bb')", 0],
    ["json_array_contains(lower(a), 'aa')", 1],
    ["json_array_contains_any(lower(a), 'bb', 'cc')", 0],
    [`json_array_contains_any(lower(a), lower('["BB", "AA"]'))`, 1],
  ])("%s is %i wherever memory has to grow for it", async (expression, expected) => {
    const growths = new Set<boolean>();
    for (const room of rooms) {
      const { result, hasGrown } = await resultOf(expression, room);
      growths.add(hasGrown);
      expect(result, `with ${room} bytes left`).toBe(expected);
    }
    expect(growths).toEqual(new Set([true, false]));
  });
});
