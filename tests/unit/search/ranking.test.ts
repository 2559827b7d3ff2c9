/** The pure parts of search: words of names, hits by name, passages, and rankings that become one. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileTypeOf } from "../../../src/search/file-kind.ts";
import { fuse, type Rankings } from "../../../src/search/fusion.ts";
import { BEGINNING_WEIGHT, MAX_PASSAGES, PASSAGE_CHARS } from "../../../src/search/limits.ts";
import { NameIndex } from "../../../src/search/names/name-index.ts";
import { nameWords, queryWords } from "../../../src/search/names/words.ts";
import { passagesOf } from "../../../src/search/passages.ts";
import { tidy } from "../../../src/sharing/tidy.ts";
import { fold } from "../../../src/spelling/fold.ts";

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
    for (const name of ["Счёт №5, ½ кг.pdf", "a↮b.txt", "ada'm\u0307a.txt"])
      expect(nameWords(name), name).toEqual(expect.arrayContaining(queryWords(name)));
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

  it("finds beginnings of several words, and no number for another", () => {
    const names = new NameIndex();
    names.set("a", "holiday beach 2023.jpg", "");
    for (const query of ["hol bea", "bea hol", "hol bea 20"])
      expect(
        names.byName(query, () => true),
        query,
      ).toEqual([{ fileId: "a", coverage: 1 }]);
    expect(names.byName("2024", () => true)).toEqual([]);
  });

  it("puts a name with the word before one with a longer word, before one with a mistake, and one with all words first", () => {
    const names = new NameIndex();
    names.set("a", "planets.jpg", "");
    names.set("b", "planet photo of mine.jpg", "");
    names.set("c", "planer.jpg", "");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    expect(found("planet")).toEqual(["b", "a", "c"]);
    names.set("d", "mine mine.jpg", "");
    expect(found("planet mine")[0]).toBe("b");
  });

  it("finds a name whatever stands between its words, before names that have more", () => {
    const names = new NameIndex();
    names.set("a", "annual_report-2024.pdf", "");
    names.set("b", "annual report 2024 draft.pdf", "");
    for (const query of ["annual report 2024", "Annual-Report 2024.pdf", '"annual report 2024"']) {
      expect([...names.exact(query)]).toEqual([["a", "words"]]);
    }
    expect(names.exact('"Annual_Report-2024"').get("a")).toBe("stem");
  });

  it("finds no name without a stem for a query without letters", () => {
    const names = new NameIndex();
    names.set("a", ".bashrc", "");
    for (const query of ["😊", "…", "?!", '"!"']) expect(names.exact(query).size).toBe(0);
    for (const query of [".bashrc", "bashrc"]) expect(names.exact(query).has("a")).toBe(true);
  });

  it("finds umlauts typed as two letters, as one without dots, and as they are", () => {
    const names = new NameIndex();
    names.set("a", "Grüße aus Århus.txt", "Über Öl und Äpfel");
    for (const query of ["Grüße", "gruesse", "grusse", "aarhus", "arhus"]) {
      expect(names.byName(query, () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
    }
    for (const query of ["Ueber", "oel", "aepfel", "apfel"]) {
      expect(names.byExcerpt(query, () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
    }
  });

  it("finds a single character of a script without spaces, and all of a text in it that it is given", () => {
    const names = new NameIndex();
    const text = Array.from({ length: 239 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
    names.set("a", "我的猫.jpg", `${text}茶`);
    expect(names.byName("猫", () => true)).toHaveLength(1);
    expect(names.byExcerpt("茶", () => true)).toHaveLength(1);
    expect(names.byExcerpt(text.slice(-3), () => true)).toHaveLength(1);
  });

  it("finds what stands beside letters or digits of another kind without a gap, and long vowels", () => {
    const names = new NameIndex();
    names.set("a", "东京trip会议2024年8月.docx", "");
    names.set("b", "社内サーバー資料.pdf", "新データ集trip案");
    const found = (query: string) => names.byName(query, () => true);
    for (const query of ["8月", "2024年", "2024年8月", "trip", "会议2024", "东京Trip"])
      expect(found(query), query).toEqual([{ fileId: "a", coverage: 1 }]);
    expect(found("サーバー")).toEqual([{ fileId: "b", coverage: 1 }]);
    for (const query of ["データ", "trip", "データ集"]) {
      expect(
        names.byExcerpt(query, () => true),
        query,
      ).toEqual([{ fileId: "b", coverage: 1 }]);
    }
  });

  it("finds a part of a Korean word, also one that is not typed to its end, and no other for it", () => {
    const names = new NameIndex();
    names.set("a", "여름휴가사진.jpg", "서울에서 회의록을 보냈다");
    names.set("b", "사람.txt", "");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    for (const query of ["휴가", "여름 사진", "휴가사ㅈ", "여름휴가사진"])
      expect(found(query), query).toEqual(["a"]);
    for (const query of ["사람", "람"]) expect(found(query), query).toEqual(["b"]);
    expect(found("사랑")).toEqual([]);
    for (const query of ["서울", "회의록"])
      expect(
        names.byExcerpt(query, () => true),
        query,
      ).toEqual([{ fileId: "a", coverage: 1 }]);
  });

  it("tells words by vowels that are written as marks, and by none that are left out", () => {
    const names = new NameIndex();
    for (const name of [
      "राम",
      "रोम",
      "पल",
      "ปี",
      "ปู",
      "ป่า",
      "பால்",
      "பல்",
      "हाँ",
      "फ़ोन",
      "バス",
      "パス",
      "كَتَبَ",
      "שָׁלוֹם",
    ])
      names.set(name, `${name}.txt`, "");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    for (const name of ["राम", "रोम", "ปี", "ปู", "பால்", "பல்", "バス", "パス"]) {
      expect([...names.exact(name)], name).toEqual([[name, "stem"]]);
      expect(found(name), name).toEqual([name]);
    }
    for (const [query, name] of [
      ["हां", "हाँ"],
      ["फोन", "फ़ोन"],
      ["ปา", "ป่า"],
      ["ﾊﾞｽ", "バス"],
      ["كتب", "كَتَبَ"],
      ["שלום", "שָׁלוֹם"],
    ] as const) {
      expect(names.exact(query).get(name), query).toBe("stem");
      expect(found(query), query).toEqual([name]);
    }
  });

  it("finds emoji, alone and among words, and names without asking for theirs", () => {
    const names = new NameIndex();
    names.set("a", "🎉 Party ❤️.jpg", "Bring a cake 🎂!");
    names.set("b", "party.jpg", "");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    for (const query of ["🎉", "❤", "❤️"]) expect(found(query), query).toEqual(["a"]);
    expect(found("party 🎉")[0]).toBe("a");
    expect(names.exact("party").get("a")).toBe("words");
    expect(names.byExcerpt("🎂", () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
  });

  it("finds Persian with its joiners and without", () => {
    const names = new NameIndex();
    names.set("a", "می\u200cخواهم.txt", "میخواهم");
    for (const query of ["می\u200cخواهم", "میخواهم"]) {
      expect(names.byName(query, () => true)).toHaveLength(1);
      expect(names.byExcerpt(query, () => true)).toHaveLength(1);
    }
  });

  it("finds Greek whichever of its forms a sigma has", () => {
    const names = new NameIndex();
    names.set("a", "ΟΔΟΣ.pdf", "Η ΜΟΥΣΙΚΗ της πόλης");
    for (const query of ["ΟΔΟΣ", "οδός", "οδοσ"]) {
      expect(names.exact(query).get("a"), query).toBe("stem");
      expect(
        names.byName(query, () => true),
        query,
      ).toHaveLength(1);
    }
    for (const query of ["ΜΟΥΣ", "ΠΟΛΗΣ", "πόλης"])
      expect(
        names.byExcerpt(query, () => true),
        query,
      ).toHaveLength(1);
  });

  it("finds Persian and Arabic typed with letters and digits of the other's keyboard", () => {
    const names = new NameIndex();
    names.set("a", "علی ۱۴۰۲.txt", "کتاب فارسی");
    names.set("b", "مدرسة ٢٠٢٤.txt", "إلى علي");
    for (const query of ["علي", "علی", "1402", "۱۴۰۲", "١٤٠٢"])
      expect(
        names.byName(query, () => true),
        query,
      ).toEqual([{ fileId: "a", coverage: 1 }]);
    for (const query of ["مدرسه 2024", "مدرسة ٢٠٢٤"]) expect(names.exact(query).get("b"), query).toBe("stem");
    for (const query of ["كتاب", "فارسي"])
      expect(
        names.byExcerpt(query, () => true),
        query,
      ).toEqual([{ fileId: "a", coverage: 1 }]);
    expect(names.byExcerpt("الی", () => true)).toEqual([{ fileId: "b", coverage: 1 }]);
  });

  it("finds a beginning in an excerpt, as of a plural, for less than the word itself", () => {
    const names = new NameIndex();
    names.set("a", "1.txt", "Tarte aux pommes");
    names.set("b", "2.txt", "Une pomme de terre");
    names.set("c", "3.txt", "Sold the old carpet");
    const found = (query: string) => names.byExcerpt(query, () => true);
    expect(found("pomme")).toEqual([
      { fileId: "b", coverage: 1 },
      { fileId: "a", coverage: BEGINNING_WEIGHT },
    ]);
    expect(found("car")).toEqual([]);
  });

  it("finds a day by its year, month and day, which stand together in names of pictures", () => {
    const names = new NameIndex();
    names.set("a", "IMG_20240801_101112.jpg", "");
    names.set("b", "99999999.jpg", "");
    for (const query of ["2024-08-01", "01.08.2024", "20240801", "2024"]) {
      expect(names.byName(query, () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
    }
    names.set("a", "Minutes 2024-08-01.pdf", "");
    expect(names.byName("20240801", () => true)).toEqual([{ fileId: "a", coverage: 1 }]);
  });

  it("finds a number without the zeros that it begins with, and as it stands there", () => {
    const names = new NameIndex();
    names.set("a", "scan_0042.pdf", "");
    names.set("b", "20240801 Track 07.mp3", "Invoice of 2024-08-01, number 000.");
    const found = (query: string) => names.byName(query, () => true).map(({ fileId }) => fileId);
    for (const query of ["42", "scan 42", "0042", "scan 0042"]) expect(found(query), query).toEqual(["a"]);
    for (const query of ["track 7", "track 07", "1.8.2024"]) expect(found(query), query).toEqual(["b"]);
    for (const query of ["1.8.2024", "01/08/2024", "number 0"])
      expect(
        names.byExcerpt(query, () => true),
        query,
      ).toEqual([{ fileId: "b", coverage: 1 }]);
  });

  it("knows which files have what stands in quotes, as it stands there", () => {
    const names = new NameIndex();
    names.set("a", "minutes.txt", "We talked about the new roof of the club house.");
    names.set("b", "roof new.txt", "A new house with a roof.");
    names.set("c", "The New Roof.pdf", "");
    names.set("d", "会议.txt", "关于新屋顶的会议记录");
    const quoted = (query: string) => [...names.quoted(query, () => true)].sort();
    expect(quoted('"new roof"')).toEqual([
      ["a", false],
      ["c", true],
    ]);
    expect(quoted("minutes „new roof“ “club house”")).toEqual([["a", false]]);
    expect(quoted("«新屋顶»")).toEqual([["d", false]]);
    expect(quoted('"new roo"')).toEqual([]);
    expect(quoted("new roof")).toEqual([]);
    expect(quoted('""')).toEqual([]);
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
/** Best first. */
const EXACT = ["name", "stem", "words"] as const;

const rankings: fc.Arbitrary<Rankings> = fc.record({
  exact: fc
    .array(fc.tuple(fc.constantFrom(..."abz"), fc.constantFrom(...EXACT)))
    .map((entries) => new Map(entries)),
  quoted: fc.array(fc.tuple(fc.constantFrom(..."abcy"), fc.boolean())).map((entries) => new Map(entries)),
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
        expect(new Set(hits.map(({ fileId }) => fileId))).toEqual(
          new Set([...given.exact.keys(), ...given.quoted.keys(), ...lists]),
        );
        expect(new Set(hits.map(({ fileId }) => fileId)).size).toBe(hits.length);
        const exactCount = given.exact.size;
        for (const [place, { fileId, score, why }] of hits.entries()) {
          expect(given.exact.has(fileId)).toBe(place < exactCount);
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(hits[place - 1]?.score ?? 1);
          expect(why.length).toBeGreaterThan(0);
        }
        const others = hits.slice(exactCount).map(({ fileId }) => given.quoted.has(fileId));
        expect(others).toEqual([...others].sort((a, b) => Number(b) - Number(a)));
        const tiers = hits.slice(0, exactCount).map(({ fileId }) => given.exact.get(fileId));
        const place = (of: (typeof tiers)[number]) => EXACT.indexOf(of as (typeof EXACT)[number]);
        expect(tiers).toEqual([...tiers].sort((a, b) => place(a) - place(b)));
      }),
    );
  });

  it("begin alike however far the one by meaning reaches", () => {
    const hits = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => ({ fileId: String(from + at), coverage: 1 }));
    const rest = { exact: new Map(), quoted: new Map<string, boolean>(), words: [], name: hits(60, 40) };
    const few = fuse({ ...rest, meaning: hits(0, 40) });
    const many = fuse({ ...rest, meaning: hits(0, 80) });
    const ids = (all: { fileId: string }[]) => all.map(({ fileId }) => fileId);
    expect(few).toHaveLength(80);
    expect(ids(many).slice(0, 80)).toEqual(ids(few));
    expect(new Set(ids(many)).size).toBe(100);
    expect(many.map(({ score }) => score)).toEqual(many.map(({ score }) => score).sort((a, b) => b - a));
  });

  it("put a file that has all words of the query in its text before one that is only near by meaning", () => {
    const [said, near] = [
      { fileId: "said", coverage: 1 },
      { fileId: "near", coverage: 1 },
    ];
    const rest = { exact: new Map(), quoted: new Map<string, boolean>(), name: [] };
    const ids = (rankings: Rankings) => fuse(rankings).map(({ fileId }) => fileId);
    expect(ids({ ...rest, words: [said], meaning: [near] })).toEqual(["said", "near"]);
    expect(ids({ ...rest, words: [{ ...said, coverage: BEGINNING_WEIGHT }], meaning: [near] })).toEqual([
      "near",
      "said",
    ]);
  });

  it("put a file first that is first in every one of them", () => {
    fc.assert(
      fc.property(rankings, (given) => {
        const first = { fileId: "best", coverage: 1 };
        const { name, words, meaning } = given;
        const hits = fuse({
          exact: new Map(),
          quoted: new Map(),
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
