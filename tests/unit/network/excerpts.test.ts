/** Excerpts as bytes, and how they give way: src/network/excerpts. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Standing } from "../../../src/network/announcing/catalogues.ts";
import {
  decodeExcerpts,
  type Excerpt,
  encodeExcerpts,
  safeExcerpt,
} from "../../../src/network/excerpts/excerpt-messages.ts";
import { HeardExcerpts } from "../../../src/network/excerpts/heard-excerpts.ts";
import {
  MAX_EXCERPT_BYTES,
  MAX_EXCERPT_MESSAGE_BYTES,
  MAX_EXCERPTS_IN_ALL,
  MAX_EXCERPTS_PER_AUTHOR,
  MAX_EXCERPTS_PER_MESSAGE,
} from "../../../src/network/excerpts/limits.ts";
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

  it("are written once, however many are told of them", () => {
    const told = { fileId, text: "Flour and water." };
    const bytes = encodeExcerpts([told]);
    const normalize = vi.spyOn(String.prototype, "normalize");
    expect(encodeExcerpts([told])).toEqual(bytes);
    expect(normalize).not.toHaveBeenCalled();
    normalize.mockRestore();
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
  let standings: Map<string, Standing>;
  let heard: HeardExcerpts;

  beforeEach(() => {
    standings = new Map(["a", "b", "c"].map((authorId) => [authorId, "met"]));
    heard = new HeardExcerpts((authorId) => standings.get(authorId) ?? "gone");
  });

  /** It tells of so many files, which are its own. */
  function hearMany(author: string, count = MAX_EXCERPTS_PER_AUTHOR + 5): void {
    const many = Array.from({ length: count }, (_, i) => ({ fileId: `${author} ${i}`, text: "x" }));
    heard.hear(author, many, standings.get(author) ?? "gone");
  }

  const told = (author: string, i: number) =>
    heard.of({ ...offer, fileId: `${author} ${i}`, completeHolders: [author] });

  function toldCount(author: string): number {
    return Array.from({ length: MAX_EXCERPTS_PER_AUTHOR }, (_, i) => told(author, i)).filter(Boolean).length;
  }

  /** Takes all the room, by as many authors as that takes. */
  function fill(standing: Standing): string[] {
    const authors = Array.from(
      { length: MAX_EXCERPTS_IN_ALL / MAX_EXCERPTS_PER_AUTHOR },
      (_, i) => `full ${i}`,
    );
    for (const author of authors) {
      standings.set(author, standing);
      hearMany(author);
    }
    return authors;
  }

  /** The same, and one that was not met tells of one file. */
  function fillAllBut(ofLate: string): void {
    const [first] = fill("met");
    heard.hear(first as string, [{ fileId: `${first} 0`, text: "" }], "met");
    standings.set("late", "told of");
    heard.hear("late", [{ fileId: ofLate, text: "early" }], "told of");
  }

  it("are what most holders say, the first of them where they differ", () => {
    heard.hear("a", [{ fileId, text: "bread" }], "met");
    heard.hear("b", [{ fileId, text: "cake" }], "met");
    expect(heard.of(offer)).toBe("bread");
    heard.hear("c", [{ fileId, text: "cake" }], "met");
    expect(heard.of(offer)).toBe("cake");
  });

  it("are believed of those that were met, where one of them says something", () => {
    for (const author of ["a", "b"]) {
      standings.set(author, "told of");
      heard.hear(author, [{ fileId, text: "lies" }], "told of");
    }
    expect(heard.of(offer)).toBe("lies");
    heard.hear("c", [{ fileId, text: "bread" }], "met");
    expect(heard.of(offer)).toBe("bread");
  });

  it("count only of those who hold the file", () => {
    heard.hear("stranger", [{ fileId, text: "lies" }], "met");
    expect(heard.of(offer)).toBeUndefined();
  });

  it("are taken back by an empty one, and are news only once", () => {
    expect(heard.hear("a", [{ fileId, text: "bread" }], "met")).toBe(true);
    expect(heard.hear("a", [{ fileId, text: "bread" }], "met")).toBe(false);
    expect(heard.hear("a", [{ fileId, text: "" }], "met")).toBe(true);
    expect(heard.hear("a", [{ fileId, text: "" }], "met")).toBe(false);
    expect(heard.of(offer)).toBeUndefined();
  });

  it("of one author are bounded, and authors that are gone make room", () => {
    for (const author of ["a", "b", "c", "d", "e"]) hearMany(author);
    expect(told("a", MAX_EXCERPTS_PER_AUTHOR - 1)).toBe("x");
    expect(told("a", MAX_EXCERPTS_PER_AUTHOR)).toBeUndefined();
    hearMany("f");
    expect(told("d", 0)).toBeUndefined();
    expect(told("f", 0)).toBe("x");
    expect(told("a", 0)).toBe("x");
  });

  it("that find no room cost one look at the authors, however many are told at once", () => {
    fillAllBut(fileId);
    const looked = vi.spyOn(standings, "get");
    const more = Array.from({ length: MAX_EXCERPTS_PER_MESSAGE / 2 }, (_, i) => [
      { fileId: `late ${i}`, text: "x" },
      { fileId, text: `changed ${i}` },
    ]);
    heard.hear("late", more.flat(), "told of");
    expect(looked.mock.calls.length).toBeLessThan(5 * standings.size);
    expect(toldCount("late")).toBe(0);
  });

  it("have the room of one that is taken back by the same message", () => {
    fillAllBut(fileId);
    const [first, second] = [0, 1].map((i) => ({ fileId: `late ${i}`, text: "x" }));
    heard.hear("late", [first, { fileId, text: "" }, second] as Excerpt[], "told of");
    expect([told("late", 0), told("late", 1)]).toEqual([undefined, "x"]);
  });

  it("that were not met make room for one that was, and push out none that was", () => {
    fill("told of");
    hearMany("a");
    expect(toldCount("a")).toBe(MAX_EXCERPTS_PER_AUTHOR);
    for (const author of ["b", "c", "d", "e"]) {
      standings.set(author, "met");
      hearMany(author);
    }
    standings.set("made up", "told of");
    hearMany("made up", 1);
    expect(toldCount("made up")).toBe(0);
    expect(["a", "b", "c", "d", "e"].map(toldCount)).toEqual(Array(5).fill(MAX_EXCERPTS_PER_AUTHOR));
  });

  it.each(["met", "told of"] as const)(
    "that were %s share the room alike, and no more is kept than there is room for",
    (standing) => {
      const authors = [...fill(standing), "late"];
      standings.set("late", standing);
      for (let round = 0; round < 2; round++) hearMany("late");
      const counts = authors.map(toldCount);
      expect(counts.reduce((sum, count) => sum + count)).toBe(MAX_EXCERPTS_IN_ALL);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(MAX_EXCERPTS_PER_MESSAGE);
    },
  );
});
