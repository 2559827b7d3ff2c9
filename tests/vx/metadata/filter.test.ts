/** Filters: any key by its exact name, SQL's three-valued logic, and sets that stay right as records change. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { MAX_CACHED_FILTERS, MAX_CHANGED_SLOTS, MAX_COLUMNS } from "../../../src/vx/metadata/limits.ts";
import { MAX_SQL_CHARS } from "../../../src/vx/sql/limits.ts";
import { TurnClock } from "../../../src/vx/turn-clock.ts";
import { indexOf, slotsOf } from "./records.ts";

const articles = [
  { category: "science", rating: 5, tags: ["physics", "méca"], inStock: true },
  { category: "art", rating: 4.5, tags: ["x", 1, null, ["x"]], inStock: false },
  undefined,
  { category: null, rating: "5" },
];

test.each([
  ["category = 'science' AND rating > 4 AND json_array_contains(tags,'physics')", [0]],
  ["  where category = 'art'", [1]],
  ["category IS NULL", [2, 3]],
  ["category <> 'art'", [0]],
  ["NOT (category = 'art')", [0]],
  ["rating = 5", [0]],
  ["rating = '5'", [3]],
  ["inStock", [0]],
  ["inStock = false", [1]],
  ["id IN (1, 3)", [1, 3]],
  ["id = '3' OR id IN ('0', '1.0')", [0, 1, 3]],
  ["id > '2' AND id <= 'none'", [3]],
  ["metadata.category = 'art'", [1]],
  ["category LIKE 'SCI%'", [0]],
  ["category LIKE 'SC' || '%' AND 'r' || (rating) = 'r' || 5", [0]],
  ["category = 'art' AND 'r' || rating = 'r4.5'", [1]],
  ["category = 'a' || 'rt' AND rating > 4", [1]],
  ["rating BETWEEN 4 AND 5 AND 'r' || rating = 'r4.5'", [1]],
  ["category || iif(rating > 4, '+', '-') || iif(rating > 5, '!', '') = 'art+' OR rating = 7", [1]],
  ["(CASE WHEN rating > 4 THEN 'a' END) || (CASE WHEN id = 1 THEN 'b' END) = 'ab'", [1]],
  ["CAST(rating > 4.6 AS TEXT) || category = '0art'", [1]],
  ["('x' || (rating = 5)) || category = 'x1science'", [0]],
  ["metadata.in || category = 'art' OR category || metadata.like = 'art'", []],
  ["category GLOB 'SCI*'", []],
  ["rating BETWEEN 4 AND 4.9", [1]],
  ["CAST(CAST(rating AS INTEGER) AS TEXT) = '4'", [1]],
  ["CAST(CAST(rating AS DECIMAL(10, 5)) AS VARCHAR (10)) = '4.5'", [1]],
  ["unknown = 1", []],
  ["unknown IS NULL AND id < 2", [0, 1]],
  ["\"CATEGORY\" = 'art'", []],
  ["tags ->> 0 = 'x'", [1]],
  ["json_array_contains(tags, 'méca')", [0]],
  ["json_array_contains(tags, 1.0)", [1]],
  ["json_array_contains(tags, '[\"x\"]')", []],
  ["json_array_contains(category, 'art')", []],
  ["json_array_contains_any(tags, 'physics', 1)", [0, 1]],
  ['json_array_contains_any(tags, \'["méca","none"]\')', [0]],
  ["json_array_contains_all(tags, 'x', 1)", [1]],
  ["json_array_contains_all(tags, json_array('x', 'none'))", []],
])("%s finds %j", async (expression, slots) => {
  const index = await indexOf(articles);
  expect(slotsOf(index.filter(expression))).toEqual(slots);
});

test.each([
  ["author ->> 'name' = 'Ann'", [0]],
  ["metadata.author ->> 'name' IS NULL", [1, 2, 3]],
  ["author -> 'name' ->> '$' = 'Ann'", [0]],
  ["(author) ->> 'name' = 'Ann'", [0]],
  ["(author ->> 'name' = 'Ann' OR id = 3)", [0, 3]],
  ["'Ann' IN ((author) ->> 'name')", [0]],
  ["'Ann' IN (author) ->> '$'", [1]],
  ["json_extract(((metadata.author)), '$.name') = 'Ann'", [0]],
  ["json_extract(author, '$.name') = 'Ann'", [0]],
  ["json_array_length(metadata.tags) > 1", [0, 3]],
  ["json_type(tags) IS NOT 'array'", [1, 2]],
  ["tags ->> 0 = 'b'", [3]],
])("%s finds %j also where other records have a text that is no JSON", async (expression, slots) => {
  const index = await indexOf([
    { author: { name: "Ann" }, tags: ["a", "b"] },
    { author: "Ann", tags: "a" },
    { author: 5 },
    { tags: "['b', 2]" },
  ]);
  expect(slotsOf(index.filter(expression))).toEqual(slots);
});

test("what is no JSON is told of where it is no key that is looked into", async () => {
  const index = await indexOf([{ author: "Ann" }]);
  const message =
    "malformed JSON: a text is looked into that is none (iif(json_valid(key), key, NULL) leaves such out)";
  expect(() => index.filter("json_extract(lower(author), '$.name') = 'ann'")).toThrow(message);
  expect(() => index.query("SELECT author ->> 'name' FROM metadata")).toThrow(message);
});

test.each([
  "name",
  "NAME",
  "Name",
  "",
  " ",
  'a"b',
  "a'b",
  "a`b",
  "[a]",
  "a]b",
  "id",
  "json",
  "slot",
  "rowid",
  "metadata",
  "c0",
  "select",
  "true",
  "é",
  "É",
  "^1rows",
  "^A",
  "nul\0byte",
  "key\nline",
  "constructor",
  "hasOwnProperty",
  "x".repeat(1000),
])("a key named %j is found by its quoted name and by no other", async (name) => {
  const others = ["name", "NAME", "c1", "^^", "a", "slot "].filter((other) => other !== name);
  const index = await indexOf([{ [name]: "it" }, ...others.map((other) => ({ [other]: "it" }))]);
  expect(slotsOf(index.facets({ [name]: "it" }))).toEqual([0]);
  if (name === "id") return;
  expect(slotsOf(index.filter(`"${name.replaceAll('"', '""')}" = 'it'`))).toEqual([0]);
});

test.each([
  ["category =", "="],
  ["category = 'art' AND", "AND"],
  ["category IS NOT", "NOT"],
  ["(rating > 4) or rating in", "in"],
  ["CASE WHEN", "WHEN"],
  ["category LIKE 'x' ESCAPE", "ESCAPE"],
  ["category NOT", "NOT"],
])("%s ends too soon, and says after what", async (expression, last) => {
  const index = await indexOf(articles);
  expect(() => index.filter(expression)).toThrow(`The filter ends too soon, after ${last}`);
});

test.each([
  ["category ILIKE 'sci%'", "near ILIKE: syntax error (LIKE takes letters of both cases for one)"],
  [
    "unknown CONTAINS 'x'",
    "near CONTAINS: syntax error (json_array_contains(key, value) looks into an array,",
  ],
  ["tags[0] = 'x'", "near [0]: syntax error (a value within one is key ->> 0)"],
  ["category MATCH 'x'", "There is no MATCH here: LIKE and GLOB compare with a pattern"],
  ["category regexp 'x'", "There is no regexp here: LIKE and GLOB compare with a pattern"],
  ["id::text = '1'", "A type is told by CAST(value AS type), not by ::"],
  [
    "array_has(tags, 'x')",
    "No such function in a filter: array_has (json_array_contains(key, value) looks into an",
  ],
  ["ANY(tags) = 'x'", "json_array_contains(key, value)"],
  ["array_length(tags) > 1", "json_array_length(key) counts an array's elements"],
  ["starts_with(category, 'a')", "LIKE and GLOB compare with a pattern"],
  ["category > now()", "datetime('now') is now, in UTC"],
  ["category = 'O'Neil'", "A text has no end: ' (a quote within one is doubled, 'it''s')"],
  ["category = 'it\\'s' AND rating = 4", "A text has no end: ' AND rating = 4 ("],
  ["rating BETWEEN 1", "BETWEEN takes two values, with AND between them"],
  ["rating BETWEEN (1 AND 2)", "BETWEEN takes two values, with AND between them"],
  ["(rating BETWEEN 1) AND inStock", "BETWEEN takes two values, with AND between them"],
  ["CASE rating END = 1", "CASE lacks its WHEN"],
  ["CASE WHEN rating END = 1", "WHEN lacks its THEN"],
  ["CASE WHEN rating THEN 1", "CASE lacks its END"],
  ["(CASE WHEN rating THEN 1 ELSE 2) = 1", "CASE lacks its END"],
  ["CAST(rating) = 1", "CAST lacks its AS and a type"],
  ["(rating = ) AND inStock", "Something is missing between = and )"],
  ["id IN (1, 2,)", "Something is missing between , and )"],
  ["CASE WHEN rating THEN 1 ELSE END", "Something is missing between ELSE and END"],
  ["inStock AND ()", "Parentheses hold nothing"],
  ["category = 'art' && inStock", "There is no && here: it is AND"],
  ["category = 'art' || rating > 4", "|| joins two texts here: between conditions it is OR"],
  ["(category = 'art') || (rating > 4)", "|| joins two texts here: between conditions it is OR"],
  ["id IN (1, 2) || NOT rating < 4", "|| joins two texts here: between conditions it is OR"],
  ["rating BETWEEN 4 AND 5 || category = 'art'", "|| joins two texts here: between conditions it is OR"],
  ["(inStock AND tags) || rating = 3", "|| joins two texts here: between conditions it is OR"],
  ["(inStock OR tags) || rating = 3", "|| joins two texts here: between conditions it is OR"],
  ["((category = 'art')) || (rating > 4)", "|| joins two texts here: between conditions it is OR"],
  ["(category = 'a' || 'rt') || (rating > 4)", "|| joins two texts here: between conditions it is OR"],
  ["(rating > 4 AND inStock) || rating = 3", "|| joins two texts here: between conditions it is OR"],
  ["rating > 4 || NOT (category = 'art')", "|| joins two texts here: between conditions it is OR"],
  ["CASE WHEN inStock THEN 1 END = 1 || rating > 4", "|| joins two texts here: between conditions it is OR"],
  ["json_array_contains(tags, 'x') || rating > 4", "|| joins two texts here: between conditions it is OR"],
  ["inStock, rating = 4", "row value misused (AND joins conditions, not a comma)"],
  ["rating => 4", "There is no => here: it is >="],
  ["rating IN 4", "IN takes a list in parentheses, not 4"],
  ["category = 'art' category", "near category: syntax error"],
  ["(rating > 4) rating", "near rating: syntax error"],
  ["category NOT rating", "near rating: syntax error"],
  ["category IS NULL rating", "near rating: syntax error"],
  ["category COLLATE nocase rating", "near rating: syntax error"],
  ["category COLLATE rating = 'x'", "No such collation: rating; BINARY, NOCASE and RTRIM are taken"],
  ["CASE WHEN inStock THEN 1 END rating", "near rating: syntax error"],
  ["metadata.category metadata.rating", "near rating: syntax error"],
  ["category IN tags", "IN takes a list in parentheses, not tags"],
  ["category IN 'art'", "IN takes a list in parentheses, not 'art'"],
  [
    "unknown.name = 'x'",
    "unknown.name is no key: a value within one is unknown ->> 'name', and a key with a dot",
  ],
  ["metadata.category.name = 'x'", "category.name is no key: a value within one is category ->> 'name'"],
  ["category.'name' = 'x'", "category.name is no key"],
])("%s is refused in words of the filter", async (expression, message) => {
  const index = await indexOf(articles);
  expect(() => index.filter(expression)).toThrow(message);
});

test.each([
  ["when = 'x'", "near when: syntax error (a key of that name needs quotes)"],
  ["rating > 4 AND in = 'x'", "near in: syntax error (a key of that name needs quotes)"],
  ["from LIKE '%@example.com'", "near from: syntax error (a key of that name needs quotes)"],
  ["from NOT LIKE '%@example.com'", "near from: syntax error (a key of that name needs quotes)"],
  ["From IN ('a', 'b')", "near From: syntax error (a key of that name needs quotes)"],
  ["rating > 4 AND then IS NOT NULL", "near then: syntax error (a key of that name needs quotes)"],
  ["rating > 4 AND AND -rating < 3", 'near "AND": syntax error'],
  ["rating > 4 AND AND NOT inStock", 'near "AND": syntax error'],
  ["like = 'x'", "like is a word of SQL: a key of that name needs quotes"],
  ["category > 2024-02-29", "A date stands in quotes: '2024-02-29' (a difference, with spaces)"],
  ["category BETWEEN '2024' AND 2024-12-31", "A date stands in quotes: '2024-12-31'"],
  ["end end", 'near "end": syntax error'],
  ["end when x", 'near "when": syntax error'],
  ["rating = 1 end when 1 then", "The filter ends too soon, after then"],
  ["CASE WHEN end THEN 1", "CASE lacks its END"],
  ["CASE WHEN rating THEN end ELSE 1", "CASE lacks its END"],
  ["rating IN end", "IN takes a list in parentheses, not end"],
])("%s is no key or date as it stands there", async (expression, message) => {
  const index = await indexOf(articles);
  expect(() => index.filter(expression)).toThrow(
    expect.objectContaining({ code: "invalid_query", message: expect.stringContaining(message) }),
  );
});

test("end is a key wherever a value is to come, and else ends a CASE", async () => {
  const index = await indexOf([
    { start: 1, end: "2024-05-01" },
    { start: 2, end: null },
    { end: 3, when: 1 },
  ]);
  for (const [expression, slots] of [
    ["end > '2024-01-01'", [0]],
    ["start < 3 AND end IS NULL", [1]],
    ["(end = '2024-05-01') OR NOT end <> 3", [0, 2]],
    ["CASE WHEN end IS NULL THEN start = 2 ELSE start END", [0, 1]],
    ["3 BETWEEN end AND end", [2]],
    ["end - 1 = 2", [2]],
    ["3 IS end", [2]],
    ["start IS NOT DISTINCT FROM end", []],
    ["'2024-05-01' LIKE end OR 3 GLOB end", [0, 2]],
    ["CASE end WHEN 3 THEN end ELSE end IS NULL END", [1, 2]],
    ["CASE WHEN start IS NULL THEN metadata.when END", [2]],
    ["2024 - 01 - 01 = 2022 AND 2024-5-1 = 2018 AND end = 3", [2]],
  ] as const) {
    expect(slotsOf(index.filter(expression)), expression).toEqual(slots);
  }
});

test("no advice is made of what every object of the language has", async () => {
  const index = await indexOf(articles);
  expect(() => index.filter("rating constructor")).toThrow(/^near constructor: syntax error$/);
});

test.each([
  "NOT category = 'art' AND NOT inStock",
  "category NOT NULL AND rating NOTNULL AND NOT tags ISNULL",
  "category NOT IN ('x', rating) AND rating IS NOT category",
  "CASE category WHEN 'art' THEN inStock ELSE rating END = rating OR true AND id",
  "category COLLATE nocase = 'ART' OR category NOT LIKE 'x' ESCAPE '!'",
  "rating NOT BETWEEN id AND rating + id AND -rating < +id",
  "CAST(rating AS VARCHAR (10)) || category GLOB 'x' OR max(rating, id) > .5",
  "metadata.category = 'art' AND metadata.like",
])("%s is taken", async (expression) => {
  const index = await indexOf(articles);
  expect(() => index.filter(expression)).not.toThrow();
});

test("an array contains no blob, not even where it holds what SQLite makes of one as a number", async () => {
  const index = await indexOf([{ tags: [0, "a"] }, { tags: [false, "a"] }]);
  for (const blob of ["x'61'", "CAST('a' AS BLOB)"]) {
    for (const suffix of ["", "_any", "_all"]) {
      expect(slotsOf(index.filter(`json_array_contains${suffix}(tags, ${blob})`))).toEqual([]);
    }
  }
});

test("numbers keep 64 bits", async () => {
  const index = await indexOf([]);
  index.set(0, 2n ** 63n - 1n, '{"n":9007199254740993}');
  index.set(1, 2n ** 53n + 1n, '{"n":9007199254740992}');
  index.set(2, 2n ** 64n - 1n, '{"n":1e400}');
  expect(slotsOf(index.filter("n = 9007199254740993"))).toEqual([0]);
  expect(slotsOf(index.filter("id = 9007199254740993"))).toEqual([1]);
  expect(slotsOf(index.filter("id >= 9223372036854775807"))).toEqual([0, 2]);
  expect(slotsOf(index.filter("n > 1e308"))).toEqual([2]);
});

test("numbers about the ends of 32 bits are what they are", async () => {
  const numbers = [2 ** 31 - 1, 2 ** 31, 2 ** 32, 9_999_999_999, -(2 ** 31), -(2 ** 31) - 1, 999_999_999];
  const index = await indexOf(numbers.map((n) => ({ n })));
  for (const [slot, n] of numbers.entries()) expect(slotsOf(index.filter(`n = ${n}`))).toEqual([slot]);
});

test.each([-1, 0, 1])(
  "a set that is kept knows of all that changed since: as much as is noted, and %i",
  async (more) => {
    const index = await indexOf([{ n: 1 }, { n: 1 }]);
    expect(slotsOf(index.filter("n = 1"))).toEqual([0, 1]);
    index.delete(0);
    // What is replaced is noted twice, what is new once.
    const noted = MAX_CHANGED_SLOTS - 1 + more;
    for (let i = 2; i <= noted; i += 2) index.set(1, 1n, '{"n":1}');
    if (noted % 2 !== 0) index.set(2, 2n, '{"n":3}');
    expect(slotsOf(index.filter("n = 1"))).toEqual([1]);
  },
);

test("a list of one key is NULL where a record lacks that key, also where the key has no column", async () => {
  const columns = Object.fromEntries(Array.from({ length: MAX_COLUMNS - 1 }, (_, i) => [`key${i}`, i]));
  const index = await indexOf([{ first: 1, ...columns }, { last: 1 }, {}]);
  for (const [key, slot] of Object.entries({ first: 0, last: 1 })) {
    const others = [0, 1, 2].filter((other) => other !== slot);
    expect(slotsOf(index.filter(`1 IN (${key})`))).toEqual([slot]);
    expect(slotsOf(index.filter(`2 NOT IN (${key})`))).toEqual([slot]);
    expect(slotsOf(index.filter(`(1 IN (${key})) IS NULL`))).toEqual(others);
  }
});

describe("a filter asked for again", () => {
  const expression = "color = 'red'";

  test("follows records that are set, replaced and deleted", async () => {
    const index = await indexOf([{ color: "red" }, { color: "blue" }]);
    expect(slotsOf(index.filter(expression))).toEqual([0]);
    index.set(1, 1n, '{"color":"red"}');
    expect(slotsOf(index.filter(expression))).toEqual([0, 1]);
    index.set(0, 0n, undefined);
    index.set(5000, 5000n, '{"color":"red"}');
    expect(slotsOf(index.filter(expression))).toEqual([1, 5000]);
    expect(index.delete(1)).toBe(true);
    expect(index.delete(1)).toBe(false);
    expect(slotsOf(index.filter(expression))).toEqual([5000]);
  });

  test("follows a key that comes, goes and comes with another column", async () => {
    const index = await indexOf([{ a: 1 }]);
    expect(slotsOf(index.filter("b = 1"))).toEqual([]);
    index.set(1, 1n, '{"b":1}');
    expect(slotsOf(index.filter("b = 1"))).toEqual([1]);
    index.delete(0);
    index.set(2, 2n, '{"c":1}');
    index.delete(1);
    index.set(3, 3n, '{"a":1,"b":1}');
    expect(slotsOf(index.filter("b = 1"))).toEqual([3]);
    expect(slotsOf(index.filter("a = 1"))).toEqual([3]);
    expect(slotsOf(index.filter("c = 1"))).toEqual([2]);
  });

  test("follows more changes than are kept one by one", async () => {
    const index = await indexOf([{ color: "red" }]);
    index.filter(expression);
    const slots = Array.from({ length: MAX_CHANGED_SLOTS + 1 }, (_, slot) => slot);
    index.setAll(
      slots.map((slot) => ({ slot, id: BigInt(slot), text: slot % 2 ? '{"color":"red"}' : "{}" })),
    );
    expect(slotsOf(index.filter(expression))).toEqual(slots.filter((slot) => slot % 2));
  });

  test("is right after more filters than are kept", async () => {
    const index = await indexOf([{ n: 1 }, { n: 2 }]);
    for (let i = 0; i <= MAX_CACHED_FILTERS; i++) index.filter(`n = ${i}`);
    index.set(0, 0n, '{"n":2}');
    expect(slotsOf(index.filter("n = 2"))).toEqual([0, 1]);
    expect(slotsOf(index.filter("n = 1"))).toEqual([]);
  });

  test("is not evaluated again while it is one of those lately asked for", async () => {
    const index = await indexOf([{ n: 1 }]);
    const first = index.filter("n = 0");
    for (let i = 1; i < MAX_CACHED_FILTERS; i++) index.filter(`n = ${i}`);
    expect(index.filter("n = 0")).toBe(first);
    for (let i = 1; i <= MAX_CACHED_FILTERS; i++) index.filter(`n = ${i}`);
    expect(index.filter("n = 0")).not.toBe(first);
  });

  test("is not evaluated again however long its text is, where those asked for since have no more in all", async () => {
    const index = await indexOf([{ n: 1 }]);
    const long = (n: number) => `n = ${n}`.padEnd(MAX_SQL_CHARS);
    const first = index.filter(long(1));
    for (const n of [1, 2, 3]) index.filter(long(n));
    expect(index.filter(long(1))).toBe(first);
    for (const n of [2, 3, 4]) index.filter(long(n));
    expect(index.filter(long(1))).not.toBe(first);
  });

  test("looks at many changed records at once, whatever list it has", async () => {
    const index = await indexOf(Array.from({ length: 1000 }, (_, n) => ({ n })));
    const expression = `n IN (${Array.from({ length: 3000 }, (_, i) => i * 3)})`;
    expect(slotsOf(index.filter(expression))).toHaveLength(334);
    for (let slot = 0; slot < 1000; slot++) index.set(slot, BigInt(slot), `{"n":${slot + 1}}`);
    let looks = 0;
    vi.spyOn(performance, "now").mockImplementation(() => looks++);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(slotsOf(index.filter(expression))).toHaveLength(333);
  });

  test("says something else when it asks for chance, also where it was made ready in turns", async () => {
    const index = await indexOf(Array.from({ length: 64 }, () => ({})));
    const next = () => slotsOf(index.filter("random() > 0"));
    expect(next()).not.toEqual(next());
    await index.prepare({ filter: "random() > 0" }, new TurnClock());
    const prepared = next();
    // All who asked for it at that time have it.
    await expect.poll(next).not.toEqual(prepared);
  });
});

test("a filter finds the same with an index on its key", async () => {
  const index = await indexOf(
    Array.from({ length: 20_000 }, (_, i) => ({ color: `c${i % 10}`, size: i % 7 })),
  );
  const found = slotsOf(index.filter("color = 'c3' AND size > 2"));
  for (let i = 0; i < 3; i++) index.filter(`color = 'c3' AND size > ${i}`);
  expect(index.tend()).toBe(true);
  expect(index.tend()).toBe(false);
  expect(slotsOf(index.filter("color = 'c3' AND size > 2 "))).toEqual(found);
  index.set(3, 3n, '{"color":"c4"}');
  expect(slotsOf(index.filter("color = 'c4'")).slice(0, 2)).toEqual([3, 4]);
});

test("a batch with one bad record changes nothing, and leaves no key behind", async () => {
  const index = await indexOf([{ a: 1 }]);
  const batch = [
    { slot: 0, id: 0n, text: '{"a":2,"new":1}' },
    { slot: 1, id: 1n, text: '{"a":1}' },
    { slot: 2, id: 2n, text: '{"other":1,"a":' },
  ];
  expect(() => index.setAll(batch)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
  expect(index.count).toBe(1);
  expect(index.get(0)).toBe('{"a":1}');
  expect(index.query("SELECT * FROM metadata").rows).toEqual([{ id: 0, json: '{"a":1}', a: 1 }]);
  index.set(1, 1n, '{"b":2}');
  expect(slotsOf(index.filter("b = 2 OR a = 1"))).toEqual([0, 1]);
});

test("a record that could not be replaced keeps its keys to itself", async () => {
  const index = await indexOf([{ a: 1 }]);
  // It is the only one to have the key, and what would take its place has it, too.
  const act = () => index.set(0, 0n, '{"a":2,"other":');
  expect(act).toThrowError(expect.objectContaining({ code: "invalid_request" }));
  index.set(1, 1n, '{"b":2}');
  expect(slotsOf(index.filter("a = 1"))).toEqual([0]);
  expect(slotsOf(index.filter("b = 1"))).toEqual([]);
});
