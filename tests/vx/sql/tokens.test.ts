/** The tokenizer takes SQL apart as SQLite does, and refuses what has no use in a filter. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Database } from "../../../src/vx/sql/database.ts";
import { encodeName, ownName, quoteName } from "../../../src/vx/sql/names.ts";
import { tokenize } from "../../../src/vx/sql/tokens.ts";

test.each([
  ["a<=1.5e3", ["word a", "operator <=", "number 1.5e3"]],
  ["'it''s' || \"a\"\"b\"", ["string it's", "operator ||", 'quoted a"b']],
  ["[a b]`c``d`", ["quoted a b", "quoted c`d"]],
  ["x'0aFF' x", ["blob x'0aFF'", "word x"]],
  ["a->>'$.b'->'c'", ["word a", "operator ->>", "string $.b", "operator ->", "string c"]],
  ["0x1F .5 1_000", ["number 0x1F", "number .5", "number 1_000"]],
  ["日本_1$=é", ["word 日本_1$", "operator =", "word é"]],
  ["f(a,b);", ["word f", "open (", "word a", "operator ,", "word b", "close )", "end ;"]],
])("%s is %j", (sql, tokens) => {
  expect(tokenize(sql).map(({ kind, text }) => `${kind} ${text}`)).toEqual(tokens);
});

describe("refuses", () => {
  test.each([
    "a -- b",
    "a /* b",
    "/**/",
    "'open",
    '"open',
    "`open",
    "[open",
    "?",
    "?1",
    ":a",
    "@a",
    "$a",
    "#1",
    "1a",
    "0x",
    "x'0'",
    "a\0b",
    "'a\0b'",
    "{",
    "!",
    "\\",
    "(",
    ")",
    ")(",
    "(()",
  ])("%j", (sql) => {
    expect(() => tokenize(sql)).toThrowError(expect.objectContaining({ code: "invalid_query" }));
  });
});

test("a text that passes is the tokens and the space between them", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "a",
      "'b'",
      '"c"',
      " ",
      "\n",
      "1",
      ".",
      "=",
      "->",
      "x'",
      "''",
      "(",
      ")",
      ";",
      "é",
      "-",
      "/",
      "*",
    ),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const sql = pieces.join("");
      try {
        expect(
          tokenize(sql)
            .map(({ space, source }) => space + source)
            .join(""),
        ).toBe(sql.replace(/[ \t\n\f\r]+$/, ""));
      } catch (error) {
        expect(error).toHaveProperty("code", "invalid_query");
      }
    }),
    { numRuns: 2000 },
  );
});

test("no two keys have names that SQLite takes for one, and none is a name of ours", async () => {
  const database = await Database.open();
  const key = fc.oneof(
    fc.string({ unit: fc.constantFrom("a", "A", "^", "\0", "0", "1", "2", "3", '"', "\ud800", "d") }),
    fc.string({ unit: "binary" }),
    fc.constantFrom("true", "false", "^4true"),
  );
  const fold = (name: string) => name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  fc.assert(
    fc.property(fc.uniqueArray(key, { minLength: 1, maxLength: 6 }), (keys) => {
      const names = keys.map(encodeName);
      expect(new Set(names.map(fold)).size).toBe(keys.length);
      for (const name of names) expect(name.startsWith(ownName(""))).toBe(false);
      const columns = names.map((name, i) => `${i} AS ${quoteName(name)}`);
      const row = database.prepare(`SELECT ${names.map(quoteName)} FROM (SELECT ${columns})`);
      expect(row.step()).toBe(true);
      expect(names.map((_, column) => row.value(column))).toEqual(names.map((_, i) => i));
      row.finalize();
    }),
  );
});
