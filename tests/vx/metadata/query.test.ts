/** Queries: one SELECT over a table with a column for each key, under its exact name. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { indexOf } from "./records.ts";

const articles = [
  { category: "science", Rating: 5, tags: ["a", { b: [1, 2.5] }] },
  { category: "art", Rating: 4.5, done: true },
  undefined,
];

test.each([
  [
    "SELECT * FROM metadata WHERE id = 1",
    [{ id: 1, json: JSON.stringify(articles[1]), category: "art", Rating: 4.5, tags: null, done: 1 }],
  ],
  ["select id from METADATA;", [{ id: 0 }, { id: 1 }, { id: 2 }]],
  [
    "SELECT category AS Kind, max(Rating) FROM metadata GROUP BY Kind ORDER BY Kind DESC",
    [
      { Kind: "science", "max(Rating)": 5 },
      { Kind: "art", "max(Rating)": 4.5 },
      { Kind: null, "max(Rating)": null },
    ],
  ],
  ["SELECT count(*) FROM metadata", [{ "count(*)": 3 }]],
  ["SELECT count(*) AS 'How many' FROM metadata WHERE Rating > 4", [{ "How many": 2 }]],
  ["SELECT tags FROM metadata WHERE tags IS NOT NULL", [{ tags: '["a",{"b":[1,2.5]}]' }]],
  ["SELECT j.value FROM metadata m, json_each(m.tags) j WHERE j.type = 'text'", [{ value: "a" }]],
  ["SELECT json_extract(json, '$.category') AS c FROM metadata WHERE json ->> 'done'", [{ c: "art" }]],
  [
    "WITH Best(Name, r) AS (SELECT category, Rating FROM metadata) SELECT Name FROM Best WHERE r = 5",
    [{ Name: "science" }],
  ],
  [
    "SELECT a.id, b.id FROM metadata a JOIN metadata b ON a.id + 1 = b.id",
    [
      { id: 0, "id:1": 1 },
      { id: 1, "id:1": 2 },
    ],
  ],
  [
    "SELECT id, row_number() OVER (ORDER BY Rating) AS n FROM metadata ORDER BY n LIMIT 1 OFFSET 1",
    [{ id: 1, n: 2 }],
  ],
  ["SELECT CAST(Rating AS INTEGER) AS R FROM metadata WHERE category = 'art' COLLATE NOCASE", [{ R: 4 }]],
  [
    "SELECT 1 AS __proto__, 2 AS constructor",
    [
      Object.fromEntries([
        ["__proto__", 1],
        ["constructor", 2],
      ]),
    ],
  ],
  [
    "SELECT id FROM metadata WHERE id IN (SELECT id FROM metadata WHERE done) UNION SELECT 7",
    [{ id: 1 }, { id: 7 }],
  ],
  [
    "SELECT 9007199254740993 AS big, 1e999 AS most, 'é' AS text",
    [{ big: 9007199254740993n, most: Infinity, text: "é" }],
  ],
  [
    "SELECT CASE WHEN done THEN 'yes' ELSE 'no' END AS d FROM metadata WHERE id < 2",
    [{ d: "no" }, { d: "yes" }],
  ],
])("%s", async (sql, rows) => {
  const index = await indexOf(articles);
  expect(index.query(sql).rows).toEqual(rows);
});

test.each([
  ["SELECT (id = 1) || (id < 2) AS flags FROM metadata", ["01", "11", "00"]],
  ["SELECT id = 1 || 2 = 3 AS f FROM metadata WHERE category || '' = 'art' || ''", [0]],
  [
    "SELECT category || (id = 0) AS c FROM metadata WHERE category = 'ar' || 't' ORDER BY (id = 0) || (id = 1)",
    ["art0"],
  ],
  ["SELECT count(*) AS n FROM metadata WHERE id = 0 || '' GROUP BY (id = 1) || (id = 2)", []],
  ["SELECT id FROM metadata WHERE (SELECT max(id) FROM metadata WHERE id = 1) || category = '1art'", [1]],
  [
    "SELECT sum(Rating > 4) AS s FROM metadata HAVING sum(Rating > 4) || count(*) FILTER (WHERE id = 1) = '21'",
    [2],
  ],
  ["SELECT m.id FROM metadata m JOIN metadata n ON m.category = n.category || '' WHERE n.id = 1", [1]],
  ["SELECT id FROM metadata WHERE category = 'art' || '' EXCEPT VALUES (1 = 2)", [1]],
  ["SELECT e.v FROM (SELECT 1 AS v, 'x' AS \"end\") e WHERE (end || v) = 'x1' AND end = 'x' || ''", [1]],
])("|| joins texts: %s", async (sql, values) => {
  const index = await indexOf(articles);
  expect(index.query(sql).rows.flatMap((row) => Object.values(row))).toEqual(values);
});

test("keys that differ in case, hold quotes or are empty are columns of their own", async () => {
  const record = {
    name: 1,
    Name: 2,
    NAME: 3,
    "": 4,
    'a"b': 5,
    "^N": 6,
    select: 7,
    "a b": 8,
    é: 9,
    É: 10,
    "n\0": 11,
    rowid: 12,
  };
  const index = await indexOf([record]);
  expect(index.query("SELECT * FROM metadata").rows).toEqual([
    { id: 0, json: JSON.stringify(record), ...record },
  ]);
  const some = index.query('SELECT NAME, "", "a""b", "^N", "select", É, "n\0" FROM metadata WHERE Name = 2');
  expect(some.rows).toEqual([{ NAME: 3, "": 4, 'a"b': 5, "^N": 6, select: 7, É: 10, "n\0": 11 }]);
  expect(() => index.query('SELECT "no\0" FROM metadata')).toThrow('no such column: "no\0"');
});

test("an integer of more than 64 bits is rounded, and has all its digits in the json", async () => {
  const index = await indexOf([]);
  index.setAll([{ slot: 0, id: 0n, text: '{"n":18446744073709551615,"m":9223372036854775807}' }]);
  expect(index.query("SELECT n, json -> 'n' AS digits, m FROM metadata").rows).toEqual([
    { n: 2 ** 64, digits: "18446744073709551615", m: 9223372036854775807n },
  ]);
});

test("keys named true and false are columns, in quotes as other words of SQL are", async () => {
  const record = { true: "yes", false: 2, True: 3 };
  const index = await indexOf([record]);
  expect(index.query("SELECT * FROM metadata").rows).toEqual([
    { id: 0, json: JSON.stringify(record), ...record },
  ]);
  expect(index.query('SELECT "true", m."false", "True", TRUE AS t FROM metadata m').rows).toEqual([
    { ...record, t: 1 },
  ]);
  expect(index.query('SELECT w."false" FROM (SELECT id AS "false" FROM metadata) w').rows).toEqual([
    { false: 0 },
  ]);
});

test("a key named like a column of the table is found in the json alone", async () => {
  const index = await indexOf([{ id: "mine", json: "too" }]);
  expect(index.query("SELECT id, json FROM metadata").rows).toEqual([
    { id: 0, json: '{"id":"mine","json":"too"}' },
  ]);
  expect(
    index.query("SELECT json ->> 'id' AS a, json_extract(json, '$.json') AS b FROM metadata").rows,
  ).toEqual([{ a: "mine", b: "too" }]);
});

test("gives the first 10,000 rows, and tells whether there are more", async () => {
  const index = await indexOf(Array.from({ length: 10_001 }, () => ({})));
  const first = index.query("SELECT id FROM metadata");
  expect([first.rows.length, first.truncated]).toEqual([10_000, true]);
  const all = index.query("SELECT id FROM metadata WHERE id > 0");
  expect([all.rows.length, all.truncated]).toEqual([10_000, false]);
  expect(index.query("SELECT count(*) AS n FROM metadata").rows).toEqual([{ n: 10_001 }]);
});

// Records with a key __proto__ are refused.
const jsonValue = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('"__proto__"'));

test("a column holds what json_extract finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(jsonValue, { maxLength: 5 }),
      fc.constantFrom(undefined, 2),
      async (values, indent) => {
        const index = await indexOf([]);
        index.setAll(
          values.map((x, slot) => ({ slot, id: BigInt(slot), text: JSON.stringify({ x }, null, indent) })),
        );
        const rows =
          values.length === 0
            ? []
            : index.query("SELECT x, json_extract(json, '$.x') AS y FROM metadata").rows;
        for (const { x, y } of rows) expect(x).toEqual(y);
        expect(rows).toHaveLength(values.length);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["SELECT nope FROM metadata", "no such column: nope"],
  ["SELECT Nope FROM metadata", "no such column: Nope"],
  ["SELECT rating FROM metadata", "no such column: rating (there is Rating)"],
  ["SELECT ID FROM metadata", "no such column: ID (there is id)"],
  [
    'SELECT id FROM metadata WHERE category = "art"',
    'no such column: "art" (a text stands in single quotes)',
  ],
  [
    "WITH t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t",
    "A common table can't be made of its own rows",
  ],
  ["SELECT * FROM sqlite_master", "Nothing but the metadata can be read"],
  ["SELECT id FROM Elsewhere", "no such table: Elsewhere (there is one, metadata)"],
  ["SELECT category", "no such column: category (the table metadata has it, which is not read here)"],
  ["SELECT tags.first FROM metadata", "no such column: tags.first (a value within one is tags ->> 'first')"],
  [
    "SELECT metadata.tags.first FROM metadata",
    expect.stringContaining("(a value within one is tags ->> 'first')"),
  ],
  ["SELECT unknown.first FROM metadata", "no such column: unknown.first"],
  ["SELECT id FROM", "The query ends too soon, after FROM"],
  ["SELECT id FROM metadata WHERE id BETWEEN 1", "BETWEEN takes two values, with AND between them"],
  [
    "SELECT id FROM metadata WHERE Rating ILIKE 'x'",
    "near ILIKE: syntax error (LIKE takes letters of both cases for one)",
  ],
  ["SELECT id FROM metadata WHERE Rating =< 5", "There is no =< here: it is <="],
  ["SELECT Rating Rating Rating FROM metadata", "near Rating: syntax error"],
  ...[
    "WHERE category = 'art' || Rating > 4",
    "WHERE (category = 'art') || (Rating > 4)",
    "m JOIN metadata n ON m.id = n.id || n.Rating = 5",
    "GROUP BY category HAVING count(*) > 1 || max(Rating) = 5",
    "WHERE id IN (SELECT id FROM metadata WHERE done || (Rating = 5 || id = 1))",
    "WHERE (SELECT max(id) = 2 FROM metadata WHERE id = 2 || id = 1)",
  ].map((rest): [string, string] => [
    `SELECT count(*) FROM metadata ${rest}`,
    "|| joins two texts here: between conditions it is OR",
  ]),
  ["SELECT x'00' AS B", "B is a blob: take hex() of it"],
])("%s says: %s", async (sql, message) => {
  const index = await indexOf(articles);
  expect(() => index.query(sql)).toThrowError(expect.objectContaining({ code: "invalid_query", message }));
});

test("a key of a name that SQL has for something else is told to need quotes, with which it is read", async () => {
  const index = await indexOf([{ First: 1 }]);
  expect(index.query('SELECT "First" FROM metadata').rows).toEqual([{ First: 1 }]);
  expect(() => index.query("SELECT First FROM metadata")).toThrowError(
    "no such column: First (a key of that name needs quotes)",
  );
});
