/** Facets and the functions of arrays, against what plain JavaScript finds. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_FACETS, MIN_INDEXED_RECORDS, SCANS_BEFORE_INDEX } from "../../../src/vx/metadata/limits.ts";
import { type Facets, MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { indexOf, slotsOf } from "./records.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const scalar = fc.constantFrom<Json>(
  "a",
  "5",
  "5.0",
  "true",
  "",
  '["a"]',
  "[",
  "é",
  "\ud83c",
  'q"\\',
  5,
  0,
  1,
  4.5,
  -3,
  1e21,
  2 ** 53,
  true,
  false,
  null,
);
const value = fc.oneof(
  { weight: 3, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<Json>({ a: "a" }, [["a"]], [{ a: 5 }]) },
);
const keys = fc.constantFrom("x", "X", "y", "");
const record = fc.option(fc.dictionary(keys, value, { noNullPrototype: true }), { nil: undefined });
const wanted = fc.constantFrom(
  "a",
  "5",
  "5.0",
  "true",
  "false",
  "",
  '["a"]',
  "1",
  "0",
  "4.5",
  "1e+21",
  "-3",
  "é",
  "\ud83c",
  'q"\\',
  "[",
  '{"a":"a"}',
  String(2 ** 53),
);

function equals(value: Json | undefined, text: string): boolean {
  return typeof value !== "object" && value !== undefined && String(value) === text;
}

function matches(value: Json | undefined, text: string): boolean {
  return Array.isArray(value) ? value.some((element) => equals(element, text)) : equals(value, text);
}

test("facets find what plain JavaScript finds, also after changes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 12 }),
      fc.array(record, { maxLength: 4 }),
      fc.dictionary(keys, wanted, { maxKeys: 2, noNullPrototype: true }),
      async (before, changes, facets) => {
        const records = [...before];
        const index = await indexOf(records);
        const expected = () =>
          records.flatMap((object, slot) =>
            Object.entries(facets).every(([key, text]) => matches(object?.[key], text)) ? [slot] : [],
          );
        expect(slotsOf(index.facets(facets))).toEqual(expected());
        for (const [slot, change] of changes.entries()) {
          records[slot] = change;
          index.set(slot, BigInt(slot), change && JSON.stringify(change));
        }
        expect(slotsOf(index.facets(facets))).toEqual(expected());
      },
    ),
    { numRuns: 120 },
  );
});

test("an array or an object is not found by its JSON, a string that looks like it is", async () => {
  for (const json of ['["a"]', '{"a":"a"}']) {
    const index = await indexOf([]);
    index.set(0, 0n, `{"x":${json}}`);
    expect(slotsOf(index.facets({ x: json }))).toEqual([]);
    index.set(1, 1n, JSON.stringify({ x: json }));
    expect(slotsOf(index.facets({ x: json }))).toEqual([1]);
  }
});

test("a text that was cut within a character is found by itself, alone and in an array", async () => {
  const cut = "party 🎉".slice(0, -1);
  const index = await indexOf([{ x: cut }, { x: [cut] }, { x: ["[", cut] }, { x: ["🎉"] }]);
  expect(slotsOf(index.facets({ x: cut }))).toEqual([0, 1, 2]);
  index.set(4, 4n, JSON.stringify({ x: "[" }));
  expect(slotsOf(index.facets({ x: cut }))).toEqual([0, 1, 2]);
});

test("a number is found by its text as it was written, and by its value's", async () => {
  const index = await indexOf([]);
  index.set(0, 0n, '{"n":5.0}');
  index.set(1, 1n, '{"n":5}');
  index.set(2, 2n, '{"n":9007199254740993}');
  expect(slotsOf(index.facets({ n: "5.0" }))).toEqual([0]);
  expect(slotsOf(index.facets({ n: 5 }))).toEqual([0, 1]);
  expect(slotsOf(index.facets({ n: "9007199254740993" }))).toEqual([2]);
  expect(slotsOf(index.facets({ n: "9007199254740992" }))).toEqual([]);
});

test.each<[what: string, records: string[], facets: Facets, found: number[]]>([
  ["1 and true", ["1", "true", '"1"', '"true"'], { x: "1" }, [0, 2]],
  ["true and 1", ["1", "true", '"1"', '"true"'], { x: "true" }, [1, 3]],
  ["0 and false", ["0", "false", '"0"'], { x: 0 }, [0, 2]],
  ["an array and its text", ['["a"]', '"[\\"a\\"]"', '"a"'], { x: "a" }, [0, 2]],
  ["elements by their value", ["[5.0]", "[5]", '["5.0"]', "[50]"], { x: 5 }, [0, 1]],
  ["elements as they were written", ["[5.0]", "[5]", '["5.0"]'], { x: "5.0" }, [0, 2]],
  ["elements in escapes", ['["\\u0061"]', '["u0061"]'], { x: "a" }, [0]],
  ["infinity", ["1", "1e300"], { x: "1e400" }, []],
  ["the infinities", ["1e400", "-1e400"], { x: "-1e400" }, [1]],
  ["the last value of a key from those before", ['5.0,"x":5', '5,"x":5.0'], { x: "5.0" }, [1]],
  ["a text with a zero", ['"a\\u0000b"', '"a"'], { x: "a\0b" }, [0]],
  ["the beginning of a text with a zero", ['"a\\u0000b"', '"a"'], { x: "a" }, [1]],
  ["a real beyond 2^53", ["1.2345678901234567e18", "1"], { x: "1.2345678901234567e18" }, [0]],
  [
    "a real beyond 2^53 by its value from the integer that it is",
    ["-7.724418259184905e18", "-7724418259184905216", "-7724418259184905000", "[-7.724418259184905e18]"],
    { x: -7.724418259184905e18 },
    [0, 2, 3],
  ],
  ["integers that are one double", ["18446744073709551616"], { x: "18446744073709552000" }, []],
])("tells apart %s", async (_what, values, facets, found) => {
  const index = await indexOf([]);
  for (const [slot, value] of values.entries()) index.set(slot, BigInt(slot), `{"x":${value}}`);
  expect(slotsOf(index.facets(facets))).toEqual(found);
});

test("what is added once a set is known is told apart as the rest was", async () => {
  const index = await indexOf([{ x: true }, { x: 1 }]);
  expect(slotsOf(index.facets({ x: "true" }))).toEqual([0]);
  index.set(2, 2n, '{"x":1}');
  index.set(3, 3n, '{"x":true}');
  expect(slotsOf(index.facets({ x: "true" }))).toEqual([0, 3]);
});

test("takes so many facets and no more", async () => {
  const entries = Array.from({ length: MAX_FACETS + 1 }, (_, i) => [`k${i}`, i] as const);
  const index = await indexOf([Object.fromEntries(entries), { k0: 0 }]);
  expect(slotsOf(index.facets(Object.fromEntries(entries.slice(1))))).toEqual([0]);
  expect(() => index.facets(Object.fromEntries(entries))).toThrowError(
    expect.objectContaining({ code: "invalid_request" }),
  );
});

test("facets in another order are the same set", async () => {
  const index = await indexOf([{ x: 1, y: 2 }]);
  expect(index.facets({ y: 2, x: "1" })).toBe(index.facets({ x: 1, y: "2" }));
});

test("a key that facets are often asked for gets an index", async () => {
  const index = await indexOf(Array.from({ length: MIN_INDEXED_RECORDS + 1 }, (_, i) => ({ x: i % 7 })));
  for (let i = 0; i < SCANS_BEFORE_INDEX; i++) {
    expect(index.tend()).toBe(false);
    index.facets({ x: i });
  }
  expect(index.tend()).toBe(true);
});

test("json_array_contains finds what json_each finds", async () => {
  const literal = fc.constantFrom(
    "'a'",
    "'5'",
    "5",
    "5.0",
    "1",
    "0",
    "4.5",
    "''",
    "'é'",
    "NULL",
    "'[\"a\"]'",
    "1e21",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { minLength: 1, maxLength: 8 }),
      fc.array(literal, { minLength: 1, maxLength: 3 }),
      async (values, literals) => {
        const index = await indexOf(values.map((x) => ({ x })));
        const idsOf = (sql: string) =>
          index.query(`SELECT id FROM metadata WHERE ${sql}`).rows.map(({ id }) => id);
        const [first] = literals as [string];
        expect(slotsOf(index.filter(`json_array_contains(x, ${first})`))).toEqual(
          idsOf(`x LIKE '[%]' AND EXISTS (SELECT 1 FROM json_each(x) WHERE atom = ${first})`),
        );
        const scalars = literals.filter((text) => text !== "NULL" && !text.includes("["));
        if (scalars.length === 0) return;
        const terms = scalars.map((text) => `json_array_contains(x, ${text})`);
        const found = (expression: string) => slotsOf(index.filter(expression));
        expect(found(`json_array_contains_any(x, ${scalars})`)).toEqual(found(terms.join(" OR ")));
        expect(found(`json_array_contains_all(x, ${scalars})`)).toEqual(found(terms.join(" AND ")));
      },
    ),
    { numRuns: 60 },
  );
});

test("json_array_contains tells integers that f64 rounds from the reals they are rounded to", async () => {
  const index = await MetadataIndex.open();
  index.set(0, 0n, '{"x":[9007199254740993,9223372036854775807]}');
  const wanted = ["9007199254740993", "9007199254740992", "9007199254740992.0", "9223372036854775808.0"];
  const answers = wanted.map((number) => {
    const [row] = index.query(
      `SELECT json_array_contains(x, ${number}) AS ours, EXISTS (SELECT 1 FROM json_each(x) WHERE atom = ${number}) AS sqlite FROM metadata`,
    ).rows;
    return row;
  });
  expect(answers).toEqual([1, 0, 0, 0].map((found) => ({ ours: found, sqlite: found })));
});

test("refuses a facet that is no scalar", async () => {
  const index = await indexOf([{ a: 1 }]);
  const facets = { a: ["1"] } as unknown as Record<string, string>;
  expect(() => index.facets(facets)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
});
