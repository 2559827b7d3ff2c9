/** Facets and the functions of arrays, against what plain JavaScript finds. */
import fc from "fast-check";
import { expect, test } from "vitest";
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

test("refuses a facet that is no scalar", async () => {
  const index = await indexOf([{ a: 1 }]);
  const facets = { a: ["1"] } as unknown as Record<string, string>;
  expect(() => index.facets(facets)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
});
