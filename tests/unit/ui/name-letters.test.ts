/** A file's name where there is little room: src/ui/elements/name-letters. */
import { describe, expect, it } from "vitest";
import { headAndTail, isolated, shortFileName, visible } from "../../../src/ui/elements/name-letters.ts";

describe("a name in the midst of a text", () => {
  it("has the direction of its own first letter, between characters that nobody sees", () => {
    expect(isolated("تقرير.txt")).toBe("\u2068تقرير.txt\u2069");
  });
});

describe("a name that is shown", () => {
  it("has nothing that turns or breaks it, and its letters and flags whole", () => {
    const england = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
    expect(visible(`${england} photo\u202egpj\u2028\n\u200b.exe`)).toBe(`${england} photogpj.exe`);
    // An end of verse stands in Arabic texts, and Macs write signs into names that are nobody else's letters.
    expect(visible("photo\u3164gpj\u115f\u1160\uffa0.exe")).toBe("photogpj.exe");
    expect(visible("\u06dd \uf8ff.txt")).toBe("\u06dd \uf8ff.txt");
    expect(visible("👨‍👩‍👧‍👦 می‌خواهم.txt")).toBe("👨‍👩‍👧‍👦 می‌خواهم.txt");
  });
});

describe("a name that is cut in the middle", () => {
  it.each([
    ["a long name of one script.txt", ["a long name of one ", "script.txt"]],
    ["תמונות מהחופשה.zip", ["תמונות מ", "החופשה.zip"]],
    ["short.txt", ["", "short.txt"]],
    // Words that run the other way than the first letter stay together.
    ["IMG תמונות מהחופשה.zip", ["IMG תמונות מהחופשה", ".zip"]],
    ["b صور من العطلة (2).zip", ["b صور من العطلة", " (2).zip"]],
    ["סרט hello world.zip", ["", "סרט hello world.zip"]],
    ["סרט hello של החופשה.zip", ["סרט hello של ", "החופשה.zip"]],
    // So do the digits of a number, which run to the right there, too.
    ["חשבונית 20261129.pdf", ["חשבונית ", "20261129.pdf"]],
    ["صورة 2026-11-29.jpeg", ["صورة ", "2026-11-29.jpeg"]],
    ["חופשה 12.zip", ["חו", "פשה 12.zip"]],
    ["חשבונית 2026112912345678901234567890.pdf", ["חשבונית ", "2026112912345678901234567890.pdf"]],
    // And so do letters that are joined.
    ["تقرير المبيعات النهائي.docx", ["تقرير المبيعات ", "النهائي.docx"]],
    ["المستشفيات.pdf", ["", "المستشفيات.pdf"]],
    ["شهر رمضـــــان كريم.pdf", ["شهر ", "رمضـــــان كريم.pdf"]],
    [`${"ب".repeat(200)}.pdf`, ["ب".repeat(194), `${"ب".repeat(6)}.pdf`]],
    ["invoice 20261129.pdf", ["invoice 20", "261129.pdf"]],
  ])("is %s parted where its halves stay in their order", (name, parts) => {
    expect(headAndTail(name)).toEqual(parts);
  });
});

describe("a short name", () => {
  it("is the whole name of 24 letters", () => {
    expect(shortFileName("abcdefghij-klmnopqrs.txt")).toBe("abcdefghij-klmnopqrs.txt");
  });

  it("has the beginning and the ending of a longer one, no letter cut in two", () => {
    const family = "👨‍👩‍👧‍👦";
    expect(shortFileName(`${family.repeat(13)}left out${family}hijk.tar.gz`)).toBe(
      `${family.repeat(13)}…ijk.tar.gz`,
    );
  });
});
