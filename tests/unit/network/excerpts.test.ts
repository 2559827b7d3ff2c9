import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import {
  decodeExcerpts,
  type Excerpt,
  encodeExcerpts,
  safeExcerpt,
} from "../../../src/network/excerpt-messages.ts";
import { HeardExcerpts } from "../../../src/network/heard-excerpts.ts";
import {
  MAX_EXCERPT_BYTES,
  MAX_EXCERPT_MESSAGE_BYTES,
  MAX_EXCERPTS_PER_AUTHOR,
  MAX_EXCERPTS_PER_MESSAGE,
} from "../../../src/network/limits.ts";
import { someFile } from "../../network/some-file.ts";

const frozen: { what: string; excerpts: Excerpt[]; hex: string }[] = JSON.parse(
  readFileSync(new URL("../../fixtures/formats/v1/excerpts.json", import.meta.url), "utf8"),
);

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const refused = expect.objectContaining({ name: "protocol_error" });
const { fileId } = someFile("one");
const excerpt = fc.record({
  fileId: fc.constantFrom("one", "two", "three").map((name) => someFile(name).fileId),
  text: fc.string({ unit: "binary", maxLength: 200 }).map(safeExcerpt),
});
const excerpts = fc.array(excerpt, { minLength: 1, maxLength: 10 });

describe("excerpts on the wire", () => {
  it.each(frozen)("keep the frozen bytes of $what", ({ excerpts: sent, hex: bytes }) => {
    expect(hex(encodeExcerpts(sent))).toBe(bytes);
    expect(decodeExcerpts(Buffer.from(bytes, "hex"))).toEqual(sent);
  });

  it("are the same when they are made safe again", () => {
    const text = fc.string({ unit: "binary", maxLength: 200, size: "max" });
    fc.assert(
      fc.property(text, (text) => {
        expect(safeExcerpt(safeExcerpt(text))).toBe(safeExcerpt(text));
      }),
      // Two marks that change places once nothing unseen is between them.
      { examples: [["\u0653\u0000\u1ab5"]] },
    );
  });

  it("come back as they were sent", () => {
    fc.assert(
      fc.property(excerpts, (sent) => {
        expect(decodeExcerpts(encodeExcerpts(sent))).toEqual(sent);
      }),
    );
  });

  it("are refused when cut at any byte or followed by one more", () => {
    fc.assert(
      fc.property(excerpts, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (sent, where) => {
        const bytes = encodeExcerpts(sent);
        expect(() => decodeExcerpts(bytes.subarray(0, Math.floor(where * bytes.length)))).toThrow(refused);
        expect(() => decodeExcerpts(Uint8Array.of(...bytes, 0))).toThrow(refused);
      }),
    );
  });

  it("fit a message as many as there may be, and are refused above that", () => {
    const longest = { fileId, text: "ab ".repeat(MAX_EXCERPT_BYTES) };
    const most = Array.from({ length: MAX_EXCERPTS_PER_MESSAGE }, () => longest);
    const bytes = encodeExcerpts(most);
    expect(bytes.byteLength).toBeLessThanOrEqual(MAX_EXCERPT_MESSAGE_BYTES);
    expect(decodeExcerpts(bytes)).toHaveLength(MAX_EXCERPTS_PER_MESSAGE);
    expect(() => decodeExcerpts(encodeExcerpts([...most, longest]))).toThrow(refused);
  });

  it("are one line without anything unseen, whatever a node sends", () => {
    expect(safeExcerpt("a\u202eb\u0000\n\n c\u200b")).toBe("ab c");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 700 }), (text) => {
        const safe = safeExcerpt(text);
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(MAX_EXCERPT_BYTES);
        expect(safe).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
      { numRuns: 50 },
    );
  });
});

it("excerpts that are too long end with a word where one ends near, else with a character", () => {
  expect(safeExcerpt(`аб ${"слово ".repeat(60)}`)).toMatch(/слово$/);
  expect(safeExcerpt(`aaaa ${"กี".repeat(100)}`)).toMatch(/กี$/);
  expect(safeExcerpt("今天".repeat(200))).toHaveLength(Math.floor(MAX_EXCERPT_BYTES / 3));
});

describe("excerpts of others", () => {
  const offer = { ...someFile("one"), completeHolders: ["a", "b", "c"], partialHolders: [] };
  let here: Set<string>;
  let heard: HeardExcerpts;

  beforeEach(() => {
    here = new Set(["a", "b", "c"]);
    heard = new HeardExcerpts((authorId) => here.has(authorId));
  });

  it("are what most holders say, the first of them where they differ", () => {
    heard.hear("a", [{ fileId, text: "bread" }]);
    heard.hear("b", [{ fileId, text: "cake" }]);
    expect(heard.of(offer)).toBe("bread");
    heard.hear("c", [{ fileId, text: "cake" }]);
    expect(heard.of(offer)).toBe("cake");
  });

  it("count only of those who hold the file", () => {
    heard.hear("stranger", [{ fileId, text: "lies" }]);
    expect(heard.of(offer)).toBeUndefined();
  });

  it("are taken back by an empty one, and are news only once", () => {
    expect(heard.hear("a", [{ fileId, text: "bread" }])).toBe(true);
    expect(heard.hear("a", [{ fileId, text: "bread" }])).toBe(false);
    expect(heard.hear("a", [{ fileId, text: "" }])).toBe(true);
    expect(heard.hear("a", [{ fileId, text: "" }])).toBe(false);
    expect(heard.of(offer)).toBeUndefined();
  });

  it("of one author are bounded, and authors that are gone make room", () => {
    const many = (author: string) =>
      Array.from({ length: MAX_EXCERPTS_PER_AUTHOR + 5 }, (_, i) => ({
        fileId: `${author} ${i}`,
        text: "x",
      }));
    for (const author of ["a", "b", "c", "d", "e"]) heard.hear(author, many(author));
    const told = (author: string, i: number) =>
      heard.of({ ...offer, fileId: `${author} ${i}`, completeHolders: [author] });
    expect(told("a", MAX_EXCERPTS_PER_AUTHOR - 1)).toBe("x");
    expect(told("a", MAX_EXCERPTS_PER_AUTHOR)).toBeUndefined();
    heard.hear("f", many("f"));
    expect(told("d", 0)).toBeUndefined();
    expect(told("f", 0)).toBe("x");
    expect(told("a", 0)).toBe("x");
  });
});
