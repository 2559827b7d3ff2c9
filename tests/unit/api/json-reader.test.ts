/** Our reader of JSON against JSON.parse, and what it refuses: src/api/json-reader. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson, type Shape } from "../../../src/api/json-reader.ts";
import { MAX_JSON_MEMBERS, MAX_PLAIN_CHARS } from "../../../src/api/limits.ts";

const encoder = new TextEncoder();

function read(json: string | Uint8Array, shape: Shape = "value"): unknown {
  const turns = readJson(typeof json === "string" ? encoder.encode(json) : json, shape);
  for (;;) {
    const next = turns.next();
    if (next.done) return next.value;
  }
}

/** Shapes for objects and arrays that give what JSON.parse gives. */
const plainShapes: Shape[] = [
  "value",
  { keys: { a: "value" } },
  { of: { keys: {} } },
  { keys: { a: { of: "value" } } },
  { keys: {}, others: { keys: {} } },
];

/** What JSON.parse gives, of objects with any keys. */
const parsed = (text: string) => expect.objectContaining({ value: JSON.parse(text) });

describe("reading JSON", () => {
  it("reads what JSON.parse reads, whatever the shape", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(...plainShapes), (text, shape) => {
        fc.pre(!text.includes("__proto__"));
        expect({ value: read(text, shape) }).toEqual(parsed(text));
      }),
    );
  });

  it("either reads a text as JSON.parse does or refuses it with 400", () => {
    const pieces = fc.constantFrom(
      ..."{}[],:\\-".split(""),
      '"',
      '"a"',
      "\\u0061",
      "1",
      "01",
      "1.",
      ".5",
      "e9",
      " ",
      "null",
      "nul",
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), fc.constantFrom(...plainShapes), (parts, shape) => {
        const text = parts.join("");
        let value: unknown;
        try {
          value = read(text, shape);
        } catch (error) {
          expect(error).toMatchObject({ name: "ApiError", status: 400 });
          return;
        }
        expect({ value }).toEqual(parsed(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("refuses a key twice, however it is spelt and wherever it stands", () => {
    fc.assert(
      fc.property(fc.string(), (key) => {
        fc.pre(key !== "__proto__");
        const plain = JSON.stringify(key);
        const escaped = `"${[...Array(key.length).keys()].map((at) => `\\u${key.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
        for (const text of [`{${plain}:1,${escaped}:2}`, `[0,{"other":{${escaped}:[],${plain}:{}}}]`]) {
          for (const shape of plainShapes) expect(() => read(text, shape)).toThrow("a key twice");
        }
        expect(() => read(`[{${plain}:1},{${escaped}:2}]`)).not.toThrow();
      }),
    );
  });

  it.each([
    '{"__proto__":1}',
    '[{"a":{"\\u005f\\u005fproto__":1}}]',
    "1e309",
    '["",-1e999]',
    '{"a":["",2e400]}',
    `1${"0".repeat(400)}`,
    `${"[".repeat(65)}${"]".repeat(65)}`,
    `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
    '"\u0000"',
    '"open',
    '"\\',
    "\ufeff{}",
    "",
    "1 2",
    "{}]",
  ])("refuses %j", (text) => {
    for (const shape of [...plainShapes, "numbers", "text", { keys: { a: "numbers" } }] as Shape[]) {
      // A bare string or number is sound as text up to its end.
      if (shape === "text" && text === '"\u0000"') continue;
      expect(() => read(text, shape)).toThrow(expect.objectContaining({ status: 400 }));
    }
  });

  it.each([
    '{"a":"__proto__"}',
    "1e308",
    `${"[".repeat(64)}${"]".repeat(64)}`,
    '{"a":{"a":{"a":1}},"b":["a","a"]}',
  ])("reads %j", (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it("takes time in proportion to the length", () => {
    const text = `["${'\\"'.repeat(500_000)}"]`;
    expect(read(text)).toEqual(['"'.repeat(500_000)]);
  });

  it("refuses bytes that are no UTF-8, in keys, texts and values", () => {
    for (const wrong of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82]]) {
      const quoted = [0x22, ...wrong, 0x22];
      for (const bytes of [quoted, [0x5b, ...quoted, 0x5d], [0x7b, ...quoted, 0x3a, 0x31, 0x7d]]) {
        for (const shape of ["value", "text", { keys: {} }, { of: "text" }] as Shape[]) {
          expect(() => read(Uint8Array.from(bytes), shape)).toThrow("UTF-8");
        }
      }
    }
  });

  it("gives the text of a value to the letter, and of null nothing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes("__proto__"));
        const a = value === null ? null : text;
        expect(read(` { "a" : ${text} , "b":1}`, { keys: { a: "text" } })).toEqual({ a, b: 1 });
      }),
    );
  });

  it("gives whole numbers that would be rounded as their text, where they are wanted exact", () => {
    const text = '{"a":9007199254740993,"b":-12345678901234567890,"c":9007199254740991,"d":1e300,"e":"1"}';
    expect(read(text, { keys: { c: "value" }, others: "exact" })).toEqual({
      a: "9007199254740993",
      b: "-12345678901234567890",
      c: 9007199254740991,
      d: 1e300,
      e: "1",
    });
  });

  it("refuses values that would take JSON.parse long, but for texts and numbers", () => {
    const long = `"${"a".repeat(MAX_PLAIN_CHARS)}"`;
    expect(() => read(`{"a":${long}}`, { keys: {} })).toThrow(expect.objectContaining({ status: 413 }));
    expect(read(`{"a":${long}}`, { keys: { a: "text" } })).toEqual({ a: long });
    const numbers = `[${"1,".repeat(MAX_PLAIN_CHARS / 2)}1]`;
    expect((read(numbers, "numbers") as Float32Array).length).toBe(MAX_PLAIN_CHARS / 2 + 1);
  });

  it("refuses more members than any object has, but for texts", () => {
    const objectOf = (count: number) => JSON.stringify(Object.fromEntries(Array(count).fill(0).entries()));
    const shape = { keys: {} };
    expect(Object.keys(read(objectOf(MAX_JSON_MEMBERS), shape) as object)).toHaveLength(MAX_JSON_MEMBERS);
    const tooMany = objectOf(MAX_JSON_MEMBERS + 1);
    for (const shape of [{ keys: {} }, "value", "exact", "numbers", { of: "value" }] as Shape[]) {
      expect(() => read(tooMany, shape)).toThrow(expect.objectContaining({ status: 400 }));
      expect(() => read(`{"a":[${tooMany}]}`, shape)).toThrow(expect.objectContaining({ status: 400 }));
    }
    expect(read(tooMany, "text")).toBe(tooMany);
  });

  it("pauses at every element, between members, and within long arrays and values", () => {
    const turnsOf = (text: string, shape: Shape) => [...readJson(encoder.encode(text), shape)].length;
    const vectors = JSON.stringify({ vectors: Array(100).fill([1, 2, 3]) });
    expect(turnsOf(vectors, { keys: { vectors: { of: "numbers" } } })).toBe(100);
    const members = JSON.stringify(Object.fromEntries(Array(MAX_JSON_MEMBERS).fill(0).entries()));
    expect(turnsOf(members, { keys: {} })).toBeGreaterThan(4);
    expect(turnsOf(JSON.stringify({ a: "x".repeat(10_000), b: 1 }), { keys: {} })).toBe(1);
    const long = JSON.stringify(Array(100_000).fill(0.5));
    expect(turnsOf(long, "numbers")).toBeGreaterThan(20);
    expect(turnsOf(long, "text")).toBeGreaterThan(20);
  });
});

describe("reading arrays of numbers", () => {
  const float = (text: string) => Float32Array.from(JSON.parse(text));
  const MAX_FLOAT32 = 3.4028234663852886e38;

  it("gives the float32 that JSON.parse gives, bit for bit", () => {
    const digits = fc.bigInt(0n, 10n ** 25n).map(String);
    const written = fc
      .tuple(digits, digits, fc.integer({ min: -60, max: 40 }))
      .map(([whole, fraction, power]) => `-${whole}.${fraction}e${power}`)
      .filter((text) => Number(text) >= -MAX_FLOAT32);
    const number = fc.oneof(
      fc
        .double({ noNaN: true, min: -MAX_FLOAT32, max: MAX_FLOAT32 })
        .map((value) => (Object.is(value, -0) ? "-0" : String(value))),
      fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
      written,
      fc.constantFrom(
        "0",
        "-0",
        "-0.0",
        "0e5",
        "1E+2",
        "1.17549435e-38",
        "1e-45",
        "7e-46",
        "3.4028235e38",
        "16777217",
        "16777217.0000000000001",
        "9007199254740993",
      ),
    );
    fc.assert(
      fc.property(fc.array(number), (numbers) => {
        const text = `[${numbers.join(" , ")}]`;
        const result = read(text, "numbers") as Float32Array;
        expect(new Uint32Array(result.buffer)).toEqual(new Uint32Array(float(text).buffer));
      }),
      { numRuns: 3000 },
    );
  });

  it.each(["3.4028236e38", "34028235677973366e22", "1e39", "1e400", "9".repeat(39)])(
    "refuses %s, which float32 does not hold",
    (number) => {
      for (const text of [`[${number}]`, `[0,-${number}]`]) {
        expect(() => read(text, "numbers")).toThrow(expect.objectContaining({ code: "invalid_vector" }));
      }
    },
  );

  it("gives halves between two float32 to the even one, and what is beside them to its side", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 << 23, max: (1 << 24) - 2 }),
        fc.constantFrom("", "0000000001", "000000000000000001"),
        (n, more) => {
          const text = `[${n}.5${more}, ${n}.4${"9".repeat(more.length)}]`;
          expect(read(text, "numbers")).toEqual(float(text));
        },
      ),
    );
  });

  it("leaves arrays with anything else to the schema", () => {
    for (const text of ['[1,"2"]', "[null]", "[[1],[2]]", '{"0":1}', "[1,true]", '"[1]"']) {
      expect(read(text, "numbers")).toEqual(JSON.parse(text));
    }
  });

  it.each([
    "[01]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1e]",
    "[-]",
    "[0x10]",
    "[NaN]",
    "[Infinity]",
    "[1",
    "[",
  ])("refuses %s", (text) => {
    expect(() => read(text, "numbers")).toThrow("not valid JSON");
  });
});
