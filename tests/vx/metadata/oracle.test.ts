/**
 * Filters against DuckDB, over what the two dialects have in common. Left out or spelled for each: division of
 * integers, LIKE (SQLite folds the case of ASCII: ILIKE), `?` of GLOB (a byte to DuckDB), comparing different types.
 */
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { indexOf, slotsOf } from "./records.ts";

/** One expression in both dialects. */
interface Both {
  ours: string;
  duck: string;
}

const both = (text: string): Both => ({ ours: text, duck: text });

/** Joins parts into one expression in each dialect. */
function build(strings: TemplateStringsArray, ...parts: Both[]): Both {
  const join = (dialect: keyof Both) =>
    strings.reduce((text, next, i) => text + parts[i - 1]?.[dialect] + next);
  return { ours: join("ours"), duck: join("duck") };
}

const texts = ["", "a", "A", "ab", "aB%", "é", "Ünï", "zz_z", "日本"];
const quoted = (text: string) => `'${text}'`;

const { integer, real, text, condition } = fc.letrec<Record<"integer" | "real" | "text" | "condition", Both>>(
  (tie) => {
    const comparing = fc
      .constantFrom("=", "<>", "!=", "<", "<=", ">", ">=", "==", "IS DISTINCT FROM", "IS NOT DISTINCT FROM")
      .map(both);
    const depthIdentifier = "expression";
    const anyPair = fc.oneof(
      fc.tuple(tie("integer"), comparing, tie("integer")),
      fc.tuple(tie("real"), comparing, tie("real")),
      fc.tuple(tie("text"), comparing, tie("text")),
    );
    return {
      integer: fc.oneof(
        { depthIdentifier, maxDepth: 4, withCrossShrink: true },
        fc
          .constantFrom("id", '"Count"', "small", "-3", "0", "7", "NULL::int")
          .map((name) => ({ ours: name.replace("NULL::int", "NULL"), duck: name })),
        fc
          .tuple(
            tie("integer"),
            fc.constantFrom("+", "-", "*", "%").map(both),
            fc.integer({ min: -9, max: 9 }).map((n) => both(`(${n})`)),
          )
          .map(([a, op, b]) => build`(${a} ${op} ${b})`),
        tie("text").map((a) => build`length(${a})`),
        tie("integer").map((a) => build`abs(${a})`),
        fc
          .tuple(tie("condition"), tie("integer"), tie("integer"))
          .map(([c, a, b]) => build`CASE WHEN ${c} THEN ${a} ELSE ${b} END`),
        fc.tuple(tie("integer"), tie("integer")).map(([a, b]) => build`coalesce(${a}, ${b})`),
        fc.tuple(tie("integer"), tie("integer")).map(([a, b]) => build`nullif(${a}, ${b})`),
      ),
      real: fc.oneof(
        { depthIdentifier, maxDepth: 4, withCrossShrink: true },
        fc
          .constantFrom("rating", "0.5", "-2.25", "1e3")
          .map((name) => ({ ours: name, duck: name === "rating" ? name : `${name}::DOUBLE` })),
        fc
          .tuple(tie("real"), fc.constantFrom("+", "-", "*").map(both), tie("real"))
          .map(([a, op, b]) => build`(${a} ${op} ${b})`),
        tie("integer").map((a) => build`CAST(${a} AS DOUBLE)`),
      ),
      text: fc.oneof(
        { depthIdentifier, maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("title", '"Odd ""key"', ...texts.map(quoted)).map(both),
        fc.tuple(tie("text"), tie("text")).map(([a, b]) => build`(${a} || ${b})`),
        fc
          .tuple(tie("text"), fc.integer({ min: 1, max: 3 }), fc.nat(2))
          .map(([a, start, count]) => build`substr(${a}, ${both(`${start}, ${count}`)})`),
        tie("text").map((a) => build`trim(${a}, 'a')`),
        fc.tuple(tie("text"), tie("text")).map(([a, b]) => build`replace(${a}, 'a', ${b})`),
      ),
      condition: fc.oneof(
        { depthIdentifier, maxDepth: 4, withCrossShrink: true },
        fc.constantFrom("done", "NOT done", "done = TRUE", "TRUE", "done IS NULL").map(both),
        anyPair.map(([a, op, b]) => build`(${a} ${op} ${b})`),
        fc
          .tuple(tie("condition"), fc.constantFrom("AND", "OR").map(both), tie("condition"))
          .map(([a, op, b]) => build`(${a} ${op} ${b})`),
        tie("condition").map((a) => build`NOT (${a})`),
        fc
          .tuple(fc.oneof(tie("integer"), tie("text")), fc.constantFrom("IS NULL", "IS NOT NULL").map(both))
          .map(([a, op]) => build`(${a} ${op})`),
        fc
          .tuple(tie("integer"), tie("integer"), tie("integer"))
          .map(([a, b, c]) => build`(${a} BETWEEN ${b} AND ${c})`),
        fc
          .tuple(tie("text"), fc.subarray(texts, { minLength: 1 }), fc.constantFrom("IN", "NOT IN").map(both))
          .map(([a, list, op]) => build`(${a} ${op} (${both(list.map(quoted).join())}))`),
        fc
          .tuple(tie("text"), fc.constantFrom("a%", "%B", "%a_", "_", "%", "z__z", "%%b%"))
          .map(([a, pattern]) => ({
            ours: `(${a.ours} LIKE '${pattern}')`,
            duck: `(${a.duck} ILIKE '${pattern}')`,
          })),
        fc
          .tuple(tie("text"), fc.constantFrom("a*", "*B*", "[ab]*", "*"))
          .map(([a, pattern]) => build`(${a} GLOB ${both(quoted(pattern))})`),
        fc.tuple(tie("text"), tie("text")).map(([a, b]) => build`(instr(${a}, ${b}) > 1)`),
        fc.constantFrom(...texts).map((wanted) => ({
          ours: `json_array_contains(tags, '${wanted}')`,
          duck: `list_contains(tags, '${wanted}')`,
        })),
      ),
    };
  },
);

const title = fc.constantFrom(...texts);
const record = fc.record(
  {
    Count: fc.integer({ min: -20, max: 20 }),
    small: fc.integer({ min: 0, max: 2 }),
    rating: fc.constantFrom(0.5, 1.25, -2.25, 1000, 0),
    title,
    'Odd "key': title,
    done: fc.boolean(),
    tags: fc.array(title, { maxLength: 3 }),
  },
  { requiredKeys: [] },
);

const records = fc.sample(record, { seed: 5, numRuns: 150 });
let index: MetadataIndex;
let duck: DuckDBConnection;

beforeAll(async () => {
  index = await indexOf(records);
  duck = await (await DuckDBInstance.create(":memory:")).connect();
  await duck.run(
    `CREATE TABLE metadata(id INTEGER, "Count" INTEGER, small INTEGER, rating DOUBLE, title VARCHAR, "Odd ""key" VARCHAR, done BOOLEAN, tags VARCHAR[])`,
  );
  const literal = (value: unknown): string => {
    if (value === undefined) return "NULL";
    if (Array.isArray(value)) return `[${value.map(literal)}]::VARCHAR[]`;
    return typeof value === "string" ? quoted(value) : String(value);
  };
  const rows = records.map((r, id) =>
    [id, r.Count, r.small, r.rating, r.title, r['Odd "key'], r.done, r.tags].map(literal).join(),
  );
  await duck.run(`INSERT INTO metadata VALUES ${rows.map((row) => `(${row})`).join()}`);
});

afterAll(() => duck.closeSync());

test("filters find what DuckDB finds", async () => {
  await fc.assert(
    fc.asyncProperty(condition, async (expression) => {
      const rows = await duck.runAndReadAll(`SELECT id FROM metadata WHERE ${expression.duck} ORDER BY id`);
      expect(slotsOf(index.filter(expression.ours))).toEqual(rows.getRows().map(([id]) => id));
    }),
    { numRuns: 1000 },
  );
});

test("queries compute what DuckDB computes", async () => {
  await fc.assert(
    fc.asyncProperty(integer, real, text, async (a, b, c) => {
      const rows = await duck.runAndReadAll(
        `SELECT (${a.duck})::DOUBLE, (${b.duck})::DOUBLE, ${c.duck} FROM metadata ORDER BY id`,
      );
      const { rows: ours } = index.query(
        `SELECT (${a.ours}) AS a, (${b.ours}) AS b, (${c.ours}) AS c FROM metadata ORDER BY id`,
      );
      expect(ours.map((row) => [row.a, row.b, row.c])).toEqual(rows.getRows());
    }),
    { numRuns: 200 },
  );
});
