/** Names that the screens find at once are those that the node's search finds by name. */
import { expect, test } from "vitest";
import { fold as foldOfNode, hasPhrase, quotedPhrases } from "../../../src/search/names/words.ts";
import { matching } from "../../../src/ui/finding/matching.ts";
import { fold, hasAll, wantedIn } from "../../../src/ui/finding/name-words.ts";

const found = (typed: string, names: readonly string[]) =>
  matching(
    names.map((name) => ({ id: name, name })),
    typed,
  ).map(({ name }) => name);

test("what stands in quotes is found as it stands there, and not within longer words", () => {
  const names = ["Annual_report-2024.pdf", "report annual.pdf", "biannual report.pdf"];
  for (const typed of ['"annual report"', "“annual report”", "„Annual Report“", "«annual report» 2024"])
    expect(found(typed, names), typed).toEqual(["Annual_report-2024.pdf"]);
  expect(found("「写真」", ["私の写真.jpg"])).toEqual(["私の写真.jpg"]);
});

test("a phrase that is not typed to its end is so many words", () => {
  expect(found('"annual rep', ["report annual.pdf", "annual.pdf"])).toEqual(["report annual.pdf"]);
  expect(found('"', ["annual.pdf"])).toEqual([]);
});

test("letters that people have no key for are found by what they type instead", () => {
  const names = ["Müller Straße.txt", "Mu\u0308ller Straße.txt"];
  for (const typed of ["mueller", "muller", "MÜLLER", "strasse", '"mueller strasse"'])
    expect(found(typed, names), typed).toEqual(names);
  expect(found("smoergaas", ["Smörgås.txt"])).toEqual(["Smörgås.txt"]);
});

test("letters and phrases are the same to the screens and to the node", () => {
  const texts = [
    "Žluťoučký KŮŇ",
    "ßæœøđðłþı ÆŁ",
    "نمی\u200cخواهم",
    "Ａｎｎｕａｌ ﬁle",
    "ΟΔΟΣ.pdf οδός",
    "रोम में हाँ फ़ोन",
    "バスとパス",
    "שָׁלוֹם كَتَبَ தமிழ்",
    "علی مدرسة ۱۴۰۲ ٢٠٢٤",
    "写真ที่ระลึก",
  ];
  for (const text of texts) {
    expect(fold(text)).toBe(foldOfNode(text));
    expect(wantedIn(`x "${text}" 『${text}』`).phrases).toEqual(quotedPhrases(`x "${text}" 『${text}』`));
    for (const phrase of ["kun", "ku", "写", "ระลึก", "file", "il", "οδοσ", "रम", "रोम", "שלום", "ハス", "ス"])
      expect(hasAll(text, { words: [], phrases: [phrase] }), phrase).toBe(hasPhrase(text, phrase));
  }
});
