/** The pure parts of search: words of names, hits by name, passages, and rankings that become one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileTypeOf } from "../../../src/search/file-kind.ts";
import { fuse, type Rankings } from "../../../src/search/fusion.ts";
import { MAX_PASSAGES, PASSAGE_CHARS } from "../../../src/search/limits.ts";
import { NameIndex } from "../../../src/search/names/name-index.ts";
import { fold, nameWords, queryWords } from "../../../src/search/names/words.ts";
import { passagesOf } from "../../../src/search/passages.ts";
import { tidy } from "../../../src/sharing/tidy.ts";

const anyName = fc.string({ unit: "binary", maxLength: 60 });

describe("words", () => {
  it("of a name are its runs of letters and digits, and what is written together", () => {
    expect(nameWords("IMG_2024HolidayBeach-v2.tar.gz")).toEqual(
      expect.arrayContaining(["img", "2024holidaybeach", "2024", "holiday", "beach", "v2", "tar", "gz"]),
    );
    expect(nameWords("XMLParser.ts")).toEqual(expect.arrayContaining(["xml", "parser", "xmlparser", "ts"]));
  });

  it("are the same with other diacritics and case", () => {
    expect(fold("Žluťoučký KŮŇ, Straße, Łódź, Ærø")).toBe("zlutoucky kun, strasse, lodz, aero");
    expect(queryWords("ŘEKA řeka Reka")).toEqual(["reka"]);
  });

  it("of scripts without spaces are pairs of characters, so that a part of a name finds it", () => {
    const names = new NameIndex();
    names.set("a", "東京旅行の写真.jpg", "");
    expect(names.byName("旅行", () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
  });

  it("of a name are all that a query of the same letters asks for", () => {
    expect(nameWords("Счёт №5, ½ кг.pdf")).toEqual(expect.arrayContaining(queryWords("счёт №5, ½ кг")));
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 30 }), (name) => {
        expect(nameWords(name)).toEqual(expect.arrayContaining(queryWords(name)));
      }),
    );
  });

  it("of any text are few and folded", () => {
    fc.assert(
      fc.property(anyName, (name) => {
        for (const word of nameWords(name)) expect(word).toBe(fold(word));
        expect(queryWords(name).length).toBeLessThanOrEqual(24);
      }),
    );
  });
});

describe("the index of names", () => {
  it("finds any name by itself, exactly, and no more once it is gone", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyName, { maxLength: 8 }), (all) => {
        const names = new NameIndex();
        for (const name of all) names.set(name, name, "");
        for (const name of all) expect(names.exact(name).has(name)).toBe(true);
        for (const name of all) names.delete(name);
        for (const name of all) {
          expect(names.exact(name).size).toBe(0);
          expect(names.byName(name, () => true)).toEqual([]);
        }
      }),
    );
  });

  it("finds beginnings and typing mistakes, but no short word for another", () => {
    const names = new NameIndex();
    names.set("a", "photosynthesis.pdf", "");
    names.set("b", "cat.jpg", "");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    expect(found("photo")).toEqual(["a"]);
    expect(found("fotosynthesis")).toEqual(["a"]);
    expect(found("p")).toEqual(["a"]);
    expect(found("car")).toEqual([]);
    expect(found("photosynthesis of plants in the dark deep sea")).toEqual([]);
  });

  it("takes a new name in place of the old one", () => {
    const names = new NameIndex();
    names.set("a", "old.txt", "about boats");
    names.set("a", "new.txt", "about trains");
    expect(names.byName("old", () => true)).toEqual([]);
    expect(names.byExcerpt("boats", () => true)).toEqual([]);
    expect(names.byExcerpt("trains", () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
  });
});

const ranking = fc
  .uniqueArray(fc.constantFrom(..."abcdefgh"), { maxLength: 8 })
  .chain((ids) =>
    fc.tuple(...ids.map((fileId) => fc.constantFrom(0.5, 1).map((coverage) => ({ fileId, coverage })))),
  );
const rankings: fc.Arbitrary<Rankings> = fc.record({
  exact: fc
    .array(fc.tuple(fc.constantFrom(..."abz"), fc.constantFrom("name" as const, "stem" as const)))
    .map((entries) => new Map(entries)),
  name: ranking,
  words: ranking,
  meaning: ranking,
});

describe("rankings that become one", () => {
  it("have every file once, best first, exact names before all others, scores from 0 to 1", () => {
    fc.assert(
      fc.property(rankings, (given) => {
        const hits = fuse(given);
        const lists = [given.name, given.words, given.meaning].flat().map(({ fileId }) => fileId);
        expect(new Set(hits.map(({ fileId }) => fileId))).toEqual(new Set([...given.exact.keys(), ...lists]));
        expect(new Set(hits.map(({ fileId }) => fileId)).size).toBe(hits.length);
        const exactCount = given.exact.size;
        for (const [place, { fileId, score, why }] of hits.entries()) {
          expect(given.exact.has(fileId)).toBe(place < exactCount);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(hits[place - 1]?.score ?? 1);
          expect(why.length).toBeGreaterThan(0);
        }
        const tiers = hits.slice(0, exactCount).map(({ fileId }) => given.exact.get(fileId));
        expect(tiers).toEqual([...tiers].sort((a, b) => (a === b ? 0 : a === "name" ? -1 : 1)));
      }),
    );
  });

  it("begin alike however far the one by meaning reaches", () => {
    const hits = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ fileId: String(from + at), coverage: 1 }));
    const rest = { exact: new Map(), words: [], name: hits(60, 40) };
    const few = fuse({ ...rest, meaning: hits(0, 40) });
    const many = fuse({ ...rest, meaning: hits(0, 80) });
    const ids = (all: { fileId: string }[]) => all.map(({ fileId }) => fileId);
    expect(few).toHaveLength(80);
    expect(ids(many).slice(0, 80)).toEqual(ids(few));
    expect(new Set(ids(many)).size).toBe(100);
    expect(many.map(({ score }) => score)).toEqual(many.map(({ score }) => score).sort((a, b) => b - a));
  });

  it("put a file first that is first in every one of them", () => {
    fc.assert(
      fc.property(rankings, (given) => {
        const first = { fileId: "best", coverage: 1 };
        const { name, words, meaning } = given;
        const hits = fuse({
          exact: new Map(),
          name: [first, ...name],
          words: [first, ...words],
          meaning: [first, ...meaning],
        });
        expect(hits[0]).toMatchObject({ fileId: "best", why: ["name", "content"] });
      }),
    );
  });
});

describe("passages", () => {
  it("hold the text in order, each within its length, the name before the first", () => {
    fc.assert(
      fc.property(anyName, fc.string({ unit: "binary", maxLength: 5000 }), (name, raw) => {
        const text = tidy(raw, 8000);
        const passages = passagesOf(name, text);
        expect(passages.length).toBeLessThanOrEqual(MAX_PASSAGES);
        expect(passages.length).toBeGreaterThan(0);
        for (const passage of passages.slice(1)) {
          expect(passage.length).toBeLessThanOrEqual(PASSAGE_CHARS);
          expect(text).toContain(passage);
        }
      }),
      { numRuns: 50 },
    );
  });

  it("of a file without text are its name and kind", () => {
    expect(passagesOf("Holiday_beachTrip-2024.jpg", "")).toEqual(["Holiday beach Trip 2024, image"]);
    expect(passagesOf("q3.md", "Revenue rose.")).toEqual(["q3. Revenue rose."]);
  });

  it("end with sentences where they can", () => {
    const sentence = `${"word ".repeat(30)}end. `;
    const [first] = passagesOf("a.txt", sentence.repeat(20));
    expect(first?.endsWith("end.")).toBe(true);
  });
});

it("passages of a text that has few spaces are as long as others", () => {
  const passages = passagesOf("a.txt", `第一章 ${"天气，".repeat(1500)}`);
  expect(passages.map(({ length }) => length)).toEqual(
    Array.from({ length: MAX_PASSAGES }, (_, i) => PASSAGE_CHARS + (i === 0 ? "a. ".length : 0)),
  );
});

describe("the type of a file", () => {
  it.each([
    ["a.PDF", "document", "application/pdf"],
    ["Makefile", "source code", "text/x-makefile"],
    ["b.tar.gz", "archive", "application/gzip"],
    ["photo.HEIC", "image", "image/heic"],
    ["firmware.bin", "program", "application/octet-stream"],
    ["no-extension", "other", "application/octet-stream"],
    ["constructor", "other", "application/octet-stream"],
  ])("%s is %s", (name, kind, mediaType) => {
    expect(fileTypeOf(name)).toEqual({ kind, mediaType });
  });
});
