/** Our text functions mean what SQLite's own mean. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Database } from "../../../src/vx/sql/database.ts";
import { addTextFunctions } from "../../../src/vx/sql/text-functions.ts";

const value = fc.oneof(
  fc
    .string({
      unit: fc.constantFrom("a", "A", "b", "%", "_", "*", "?", "[", "]", "\\", "é", "日", "😀", " "),
      maxLength: 8,
    })
    .map((text) => `'${text}'`),
  fc.constantFrom("NULL", "12", "-1.5", "'1'"),
);

/** A wildcard is an escape of LIKE as others are, which chance seldom makes. */
const argumentsOf = (count: number) =>
  fc.oneof(
    fc.array(value, { minLength: count, maxLength: count }),
    fc
      .tuple(fc.array(value, { minLength: count - 1, maxLength: count - 1 }), fc.constantFrom("'%'", "'_'"))
      .map(([first, last]) => [...first, last]),
  );

test.each([
  ["like", 2],
  ["like", 3],
  ["glob", 2],
  ["instr", 2],
  ["replace", 3],
  ["trim", 1],
  ["trim", 2],
  ["ltrim", 1],
  ["ltrim", 2],
  ["rtrim", 1],
  ["rtrim", 2],
])("%s of %d arguments", async (name, count) => {
  const theirs = await Database.open();
  const ours = await Database.open();
  addTextFunctions(ours);
  const run = (database: Database, sql: string) => {
    const statement = database.prepare(sql);
    try {
      statement.step();
      return [statement.value(0), statement.value(1)];
    } catch (error) {
      return String(error);
    } finally {
      statement.finalize();
    }
  };
  fc.assert(
    fc.property(argumentsOf(count), (values) => {
      const call = `${name}(${values.join()})`;
      const sql = `SELECT ${call}, typeof(${call})`;
      expect(run(ours, sql)).toEqual(run(theirs, sql));
    }),
    { numRuns: 300 },
  );
});
