/** The scanner takes what JSON.parse takes, and finds the same members. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonKind } from "../../../src/vx/metadata/json-cursor.ts";
import { JsonScanner } from "../../../src/vx/metadata/json-scanner.ts";
import { checkMetadata } from "../../../src/vx/metadata/record-reader.ts";

const encoder = new TextEncoder();

const check = (text: string) => checkMetadata(encoder.encode(text), new JsonScanner());

/** The members of an object's text, or undefined if the scanner refuses it. */
function scan(text: string): Record<string, unknown> | undefined {
  // With something behind it, which must not be looked at.
  const bytes = encoder.encode(`${text}"}]`);
  const scanner = new JsonScanner();
  const members: [string, unknown][] = [];
  try {
    scanner.openObject(bytes, 0, bytes.length - 3);
    while (scanner.nextMember()) {
      const key = scanner.text(scanner.keyStart, scanner.keyEnd, scanner.isKeyEscaped);
      const isString = scanner.kind === JsonKind.string;
      const value = isString
        ? scanner.text(scanner.start, scanner.end, scanner.isEscaped)
        : JSON.parse(scanner.source());
      members.push([key, value]);
    }
  } catch (error) {
    expect(error).toHaveProperty("name", "JsonSyntaxError");
    return undefined;
  }
  return Object.fromEntries(members);
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const object = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue());

test("finds the members that JSON.parse finds", () => {
  fc.assert(
    fc.property(object, fc.constantFrom(undefined, 1, "\t"), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(scan(text)).toEqual(parse(text));
    }),
  );
});

test("takes a damaged text if JSON.parse does, and finds the same in it", () => {
  const piece = fc.constantFrom(
    '"',
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "-",
    "0",
    "1",
    ".",
    "e",
    "t",
    "null",
    "\\u00",
    " ",
    "\n",
    "\0",
  );
  fc.assert(
    fc.property(object, fc.nat(), fc.nat(3), piece, (value, at, removed, inserted) => {
      const text = JSON.stringify(value);
      const start = at % text.length;
      // Half a surrogate pair is no UTF-8.
      const damaged = (text.slice(0, start) + inserted + text.slice(start + removed)).replace(
        /\p{Surrogate}/gu,
        "",
      );
      expect(scan(damaged)).toEqual(parse(damaged));
    }),
    { numRuns: 5000 },
  );
});

describe("metadata", () => {
  test.each([
    "",
    " ",
    "[]",
    "null",
    '"a"',
    "1",
    "{",
    '{"a":1}x',
    "{'a':1}",
    '{"a":1,}',
    '{"a":01}',
    '{"a":NaN}',
    '{"a":"\t"}',
    '{"a":"\\x"}',
  ])("%j is refused", (text) => {
    expect(() => check(text)).toThrowError(expect.objectContaining({ code: "invalid_request" }));
  });

  test.each(['{"__proto__":1}', '{"a":[{"__proto__":{}}]}', '{"\\u005f_proto\\u005F_":1}'])(
    "%j is refused for its key",
    (text) => {
      expect(() => check(text)).toThrowError("Metadata may have no key __proto__");
    },
  );

  test.each(["{}", ' {"a":"__proto__"} ', '{"constructor":{"prototype":1}}'])("%j is taken", (text) => {
    expect(check(text)).toBeUndefined();
  });

  test("nests 500 levels, and no more", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;
    expect(check(nested(500))).toBeUndefined();
    expect(() => check(nested(501))).toThrowError("nests deeper than 500 levels");
    expect(() => check(nested(1_000_000))).toThrowError("nests deeper than 500 levels");
  });
});
