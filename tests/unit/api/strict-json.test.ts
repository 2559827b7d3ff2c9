import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8, parseStrictJson } from "../../../src/api/strict-json.ts";

describe("strict JSON", () => {
  it("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!text.includes("__proto__"));
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it("either reads a text as JSON.parse does or refuses it with 400", () => {
    const pieces = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "\\",
      "\\u0061",
      "1",
      "-",
      "e9",
      " ",
      "null",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const text = parts.join("");
        let value: unknown;
        try {
          value = parseStrictJson(text);
        } catch (error) {
          expect(error).toMatchObject({ name: "ApiError", status: 400 });
          return;
        }
        expect(value).toEqual(JSON.parse(text));
      }),
    );
  });

  it("refuses a key twice, however it is spelt and wherever it stands", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        fc.pre(key !== "__proto__");
        const plain = JSON.stringify(key);
        const escaped = `"${[...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
        for (const text of [`{${plain}:1,${escaped}:2}`, `[0,{"other":{${escaped}:[],${plain}:{}}}]`]) {
          expect(() => parseStrictJson(text)).toThrow("a key twice");
        }
        expect(() => parseStrictJson(`[{${plain}:1},{${escaped}:2}]`)).not.toThrow();
      }),
    );
  });

  it.each([
    '{"__proto__":1}',
    '[{"a":{"\\u005f\\u005fproto__":1}}]',
    "1e309",
    "[-1e999]",
    `1${"0".repeat(400)}`,
    `${"[".repeat(65)}${"]".repeat(65)}`,
    `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
    '"\u0000"',
    '"open',
    '"\\',
    "\ufeff{}",
    "",
  ])("refuses %j", (text) => {
    expect(() => parseStrictJson(text)).toThrow(expect.objectContaining({ status: 400 }));
  });

  it.each([
    '{"a":"__proto__"}',
    "1e308",
    `${"[".repeat(64)}${"]".repeat(64)}`,
    '{"a":{"a":{"a":1}},"b":["a","a"]}',
  ])("reads %j", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it("takes time in proportion to the length", () => {
    const text = `["${'\\"'.repeat(500_000)}"]`;
    expect(parseStrictJson(text)).toEqual(['"'.repeat(500_000)]);
  });

  it("refuses bytes that are no UTF-8", () => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      expect(() => decodeUtf8(Uint8Array.from(bytes))).toThrow("UTF-8");
    }
  });
});
