/** Texts compared as people type them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold, spelledOut, spoken } from "../../../src/spelling/fold.ts";
import { hasPhrase, quotedPhrases, withoutPhrases } from "../../../src/spelling/phrases.ts";

describe("a text is folded", () => {
  test.each([
    ["Žluťoučký KŮŇ, Straße, Łódź, Ærø", "zlutoucky kun, strasse, lodz, aero"],
    ["Ａｎｎｕａｌ ﬁle", "annual file"],
    ["ΟΔΟΣ οδός", "οδοσ οδοσ"],
    ["نمی\u200cخواهم", "نميخواهم"],
    ["שָׁלוֹם كَتَبَ", "שלום كتب"],
    ["علی مدرسة ۱۴۰۲ ٢٠٢٤", "علي مدرسه 1402 2024"],
  ])("%s", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  test.each([
    ["राम", "रोम"],
    ["バス", "パス"],
    ["ที่", "ทา"],
  ])("%s is not %s", (text, other) => {
    expect(fold(text)).not.toBe(fold(other));
  });

  test("once and for all", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(fold(text))).toBe(fold(text));
      }),
      { numRuns: 500 },
    );
  });
});

test("letters that people have no key for are spelled out", () => {
  expect(spelledOut("Müller, Mu\u0308ller, Smörgås")).toBe("mueller, mueller, smoergaas");
});

test("words are spoken with one space between them", () => {
  expect(spoken("Annual_report-2024 (रोम).pdf")).toBe("annual report 2024 रोम pdf");
});

describe("a phrase", () => {
  test.each([
    ['x "Annual Report" y', ["annual report"], "x   y"],
    ["“a b” „c“ «d»", ["a b", "c", "d"], "     "],
    ["『写真』", ["写真"], " "],
    ['"not typed to its end', [], " not typed to its end"],
    ['"." x', [], "  x"],
  ])("of %s", (query, phrases, rest) => {
    expect(quotedPhrases(query)).toEqual(phrases);
    expect(withoutPhrases(query)).toBe(rest);
  });

  test.each([
    ["Annual_report-2024.pdf", "annual report", true],
    ["biannual report.pdf", "annual report", false],
    ["私の写真.jpg", "写真", true],
    ["パスワード", "ス", true],
    ["ハワイ", "パ", false],
  ])("%s has %s: %s", (text, phrase, has) => {
    expect(hasPhrase(text, phrase)).toBe(has);
  });
});
