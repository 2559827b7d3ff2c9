/** What strangers may write as filters, queries and metadata: refused, or stopped in time, and nothing is changed. */
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_SQL_SELECTS } from "../../../src/vx/metadata/limits.ts";
import type { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { processorMs } from "../../processor-time.ts";
import { indexOf, slotsOf } from "./records.ts";

/** How many times as fast a clock is by which statements are stopped, of which some work until they are. */
const HASTE = 8;

let index: MetadataIndex;

beforeAll(async () => {
  index = await indexOf(Array.from({ length: 2000 }, (_, i) => ({ n: i, text: `text ${i}` })));
});

afterEach(() => {
  expect(index.count).toBe(2000);
  expect(slotsOf(index.filter("n = 7 AND text = 'text 7'"))).toEqual([7]);
  expect(index.query("SELECT count(*) AS n FROM metadata").rows).toEqual([{ n: 2000 }]);
});

const invalidQuery = expect.objectContaining({ name: "VxError", code: "invalid_query" });

/** So many tables, by commas. */
const many = (count: number) => Array.from({ length: count }, (_, i) => `metadata m${i}`).join();

describe("a query is refused that", () => {
  test.each([
    ["has a second statement", "SELECT 1; DROP TABLE metadata"],
    ["has a second SELECT", "SELECT 1; SELECT 2"],
    ["has a comment", "SELECT 1 -- and more"],
    ["has a comment within", "SELECT /* */ 1"],
    ["writes", "INSERT INTO metadata VALUES (1)"],
    ["deletes", "DELETE FROM metadata"],
    ["writes behind a WITH", "WITH t AS (SELECT 1) DELETE FROM metadata"],
    ["drops", "DROP VIEW metadata"],
    ["attaches", "ATTACH 'file.db' AS other"],
    ["sets a pragma", "PRAGMA writable_schema = 1"],
    ["reads a pragma", "SELECT * FROM pragma_table_list"],
    ["reads a pragma with an argument", "SELECT * FROM pragma_table_info('metadata')"],
    ["vacuums into a file", "VACUUM INTO 'file.db'"],
    ["explains", "EXPLAIN SELECT 1"],
    ["reads the schema", "SELECT * FROM sqlite_master"],
    ["reads the schema by its other name", "SELECT sql FROM sqlite_schema"],
    ["counts the schema", "SELECT count(*) FROM main.sqlite_master"],
    ["reads the statistics", "SELECT * FROM sqlite_stat1"],
    ["reads a table of ours", 'SELECT * FROM "^1rows"'],
    ["reads a table of ours by another spelling", "SELECT * FROM [^1SIDE]"],
    ["calls what the view calls", 'SELECT "^1text"(0)'],
    [
      "calls what the view calls by its own name",
      'WITH metadata AS (SELECT "^1text"(0)) SELECT * FROM metadata',
    ],
    ["reads the pages", "SELECT * FROM sqlite_dbpage"],
    ["reads the statements", "SELECT * FROM sqlite_stmt"],
    ["loads an extension", "SELECT load_extension('lib.so')"],
    ["writes a file", "SELECT writefile('file', 'x')"],
    ["reads a file", "SELECT readfile('/etc/passwd')"],
    ["asks for the build", "SELECT sqlite_compileoption_get(0)"],
    ["makes a great blob", "SELECT zeroblob(1000000000)"],
    [
      "names its columns at length, which each row does",
      `SELECT id AS "${"n".repeat(50_000)}" FROM metadata`,
    ],
    ["recurses", "WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t"],
    [
      "recurses without saying so",
      "WITH t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT max(x) FROM t",
    ],
    ["has a parameter", "SELECT ?1"],
    ["has a NUL", "SELECT 1\0; DROP TABLE metadata"],
    ["is empty", ""],
    ["is nothing but an end", ";"],
    ["makes a long text", "SELECT printf('%.100000000c', 'x')"],
    ["nests deeply", `SELECT ${"(".repeat(5000)}1${")".repeat(5000)}`],
    ["nests without parentheses", `SELECT ${"-".repeat(1)}${"NOT ".repeat(50_000)}1`],
    ["has SELECT in SELECT in SELECT", `SELECT ${"(SELECT ".repeat(50)}1${")".repeat(50)}`],
    ["is too long", `SELECT '${"x".repeat(600_000)}'`],
    ["joins many tables by commas", `SELECT 1 FROM ${many(MAX_SQL_SELECTS + 1)} LIMIT 1`],
    ["joins many tables in parentheses", `SELECT 1 FROM ((metadata m, (${many(MAX_SQL_SELECTS)}))) LIMIT 1`],
    [
      "joins many tables behind one",
      `SELECT 1 FROM metadata a JOIN metadata b ON a.id IN (1), ${many(MAX_SQL_SELECTS - 1)} LIMIT 1`,
    ],
    [
      "doubles its common tables",
      `WITH ${Array.from({ length: 30 }, (_, i) => `t${i + 1} AS (SELECT a.id FROM t${i} a, t${i} b)`)
        .join()
        .replace("FROM t0 a, t0", "FROM metadata a, metadata")} SELECT count(*) FROM t30`,
    ],
  ])("%s", (_, sql) => {
    expect(() => index.query(sql)).toThrowError(invalidQuery);
  });
});

describe("a filter is refused that", () => {
  test.each([
    ["closes what it did not open", "1) OR (1"],
    ["closes and opens within", "1 = 1) UNION SELECT slot FROM rows WHERE (1"],
    ["has a second statement", "1; DELETE FROM metadata"],
    ["has an end", "1;"],
    ["has a comment", "1 -- "],
    ["has an open comment", "1 /* "],
    ["has a subquery", "id IN (SELECT id FROM metadata)"],
    ["has a VALUES", "id IN (VALUES (1))"],
    ["goes on behind the expression", "1 ORDER BY id"],
    ["groups", "1 GROUP BY id"],
    ["limits", "1 LIMIT 1"],
    ["unites", "1 UNION SELECT 1"],
    ["counts", "count(*) > 1"],
    ["looks at its neighbours", "row_number() OVER () > 1"],
    ["loads an extension", "load_extension('lib.so')"],
    ["calls what facets call", '"^1facet"(n, 1)'],
    ["calls what the view calls", '"^1text"(0) IS NULL'],
    ["is two", "n = 1, n = 2"],
    ["is empty", "  "],
    ["is WHERE alone", "WHERE"],
    ["has an open string", "text = 'a"],
    ["has a regular expression", "text REGEXP '(a+)+$'"],
    ["has a parameter", "n = :n"],
    ["raises", "RAISE(ABORT, 'no')"],
    ["nests deeply", `${"(".repeat(5000)}1${")".repeat(5000)}`],
    ["is a chain of 50,000 ORs", Array.from({ length: 30_000 }, (_, i) => `n = ${i}`).join(" OR ")],
  ])("%s", (_, filter) => {
    expect(() => index.filter(filter)).toThrowError(invalidQuery);
  });
});

describe("is read in time that grows with its length alone:", () => {
  const words = "a ".repeat(60_000);
  test.each<[string, () => unknown]>([
    ["a filter of many words", () => index.filter(words)],
    ["a filter with many words for a type", () => index.filter(`CAST(n AS ${words})`)],
    ["a query of many words", () => index.query(`SELECT ${words}`)],
    ["a query with many aliases", () => index.query(`SELECT ${"n AS a, ".repeat(30_000)} n FROM metadata`)],
    ["a query for a long name that is none", () => index.query(`SELECT ${"x".repeat(60_000)}`)],
    ["a query whose result has a long name", () => index.query(`SELECT '${"x".repeat(60_000)}'`)],
  ])("%s", async (_, run) => {
    const tookMs = await processorMs(() => {
      try {
        run();
      } catch (error) {
        expect(error).toEqual(invalidQuery);
      }
    });
    expect(tookMs).toBeLessThan(2000);
  });
});

test.each([
  [
    "columns",
    `SELECT ${"n, ".repeat(40)} text FROM metadata WHERE n IN (1, 2) ORDER BY ${"n, ".repeat(40)} id LIMIT 1`,
  ],
  ["comparisons by FROM", `SELECT n IS NOT DISTINCT FROM text, ${"n, ".repeat(40)} id FROM metadata LIMIT 1`],
  ["values", `SELECT * FROM (VALUES ${"(1, 2), ".repeat(40)} (3, 4)) LIMIT 1`],
  ["arguments", `SELECT coalesce(${"n, ".repeat(40)} m.id) FROM metadata m, json_each(m.json, '$') LIMIT 1`],
  ["windows", `SELECT sum(n) OVER (PARTITION BY ${"n, ".repeat(40)} id) FROM metadata LIMIT 1`],
  ["as many tables as may be", `SELECT 1 FROM ${many(MAX_SQL_SELECTS)} LIMIT 1`],
])("a query is taken that lists many: %s", (_, sql) => {
  expect(index.query(sql).rows).toHaveLength(1);
});

test("a huge list is taken", () => {
  const list = Array.from({ length: 50_000 }, (_, i) => i + 1000).join();
  expect(slotsOf(index.filter(`n IN (${list})`))).toHaveLength(1000);
});

describe("is stopped, where it would take minutes:", () => {
  const long = "'a' || replace(printf('%.900000c', 'x'), 'x', 'a')";
  const elements =
    "(WITH t AS (SELECT n FROM metadata) SELECT json_group_array(a.n * 5 + b.n) FROM t a, t b WHERE b.n < 5)";
  /** Which limit comes first, time, size or memory, depends on the machine. */
  const tooLong = /too (?:long|big|much memory)$|memory/;

  beforeEach(() => {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, "now").mockImplementation(() => now() * HASTE);
  });

  test.each([
    [
      "a fourfold cross join",
      "SELECT count(*) FROM metadata a, metadata b, metadata c, metadata d WHERE a.n + b.n + c.n + d.n = -1",
    ],
    ["a LIKE of many wildcards", `SELECT ${long} LIKE '${"%a".repeat(10_000)}b'`],
    ["a GLOB of many wildcards", `SELECT ${long} GLOB '${"*a".repeat(10_000)}b'`],
    ["a search for a long text", `SELECT instr(${long}, replace(printf('%.400000c', 'x'), 'x', 'a') || 'b')`],
    [
      "many searches that are each allowed",
      "SELECT count(*) FROM metadata a, metadata b WHERE instr(printf('%.30000c', 'x'), printf('%.3000c', 'x') || a.n)",
    ],
    ["a trim by many characters", `SELECT trim(${long}, ${long})`],
    ["replacements that grow", `SELECT length(replace(${long}, 'a', ${long}))`],
    ["a group of all texts", "SELECT length(group_concat(a.text || b.text)) FROM metadata a, metadata b"],
    [
      "each of an array's elements looked for in another",
      `SELECT json_array_contains_all(${elements}, ${elements})`,
    ],
    ["an array of all rows", "SELECT length(json_group_array(a.json)) FROM metadata a, metadata b"],
  ])("%s", (_, sql) => {
    expect(() => index.query(sql)).toThrowError(
      expect.objectContaining({ code: "invalid_query", message: expect.stringMatching(tooLong) }),
    );
  });

  test("a filter of many wildcards", () => {
    const filter = `replace(printf('%.900000c', 'x'), 'x', 'a') LIKE '${"%a".repeat(5000)}b'`;
    expect(() => index.filter(filter)).toThrowError(invalidQuery);
  });
});

test("a statement's memory is bounded, and comes back", () => {
  const before = index.memoryBytes;
  const hog = "SELECT count(DISTINCT a.text || b.text || printf('%.1000c', 'x')) FROM metadata a, metadata b";
  for (let i = 0; i < 3; i++) expect(() => index.query(hog)).toThrowError(invalidQuery);
  expect(index.memoryBytes - before).toBeLessThan(400 * 1024 * 1024);
});

describe("metadata", () => {
  test("of 10,000 different keys is found by each of them", async () => {
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`key ${i}`, i]));
    const own = await indexOf([wide, { "key 9999": "other" }]);
    expect(slotsOf(own.filter('"key 5" = 5 AND "key 9999" = 9999'))).toEqual([0]);
    expect(slotsOf(own.filter("\"key 9999\" = 'other'"))).toEqual([1]);
    expect(slotsOf(own.facets({ "key 777": "777" }))).toEqual([0]);
    const [row] = own.query("SELECT * FROM metadata WHERE id = 0").rows;
    expect(Object.keys(row ?? {})).toHaveLength(1002);
    expect(own.query("SELECT json_extract(json, '$.key 9999') AS v FROM metadata ORDER BY id").rows).toEqual([
      { v: 9999 },
      { v: "other" },
    ]);
    expect(own.delete(0)).toBe(true);
    expect(own.query("SELECT * FROM metadata").rows).toEqual([
      { id: 1, json: '{"key 9999":"other"}', "key 9999": "other" },
    ]);
  });

  test("of a 1 MB key and a 1 MB text is kept exactly and found", async () => {
    const long = "é".repeat(500_000);
    const own = await indexOf([{ [long]: 1, text: long }, { text: `${long}!` }]);
    expect(own.get(0)).toBe(JSON.stringify({ [long]: 1, text: long }));
    expect(slotsOf(own.facets({ [long]: "1" }))).toEqual([0]);
    expect(slotsOf(own.facets({ text: long }))).toEqual([0]);
    expect(own.query("SELECT length(text) AS n FROM metadata ORDER BY id").rows).toEqual([
      { n: 500_000 },
      { n: 500_001 },
    ]);
  });

  test("of hostile keys and values is data, and nothing else", async () => {
    const hostile = {
      "'); DROP TABLE metadata; --": "'); DROP TABLE metadata; --",
      constructor: "x",
      toString: null,
    };
    const own = await indexOf([hostile]);
    expect(own.query("SELECT * FROM metadata").rows).toEqual([
      { id: 0, json: JSON.stringify(hostile), ...hostile },
    ]);
    expect(slotsOf(own.filter(`"'); DROP TABLE metadata; --" = '''); DROP TABLE metadata; --'`))).toEqual([
      0,
    ]);
    expect(slotsOf(own.facets({ constructor: "x" }))).toEqual([0]);
    expect(slotsOf(own.facets({ valueOf: "x" }))).toEqual([]);
  });
});
