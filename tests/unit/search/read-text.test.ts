/** The readers of texts, each format and what strangers make of it. */
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { bytesToRead } from "../../../src/search/texts/formats.ts";
import { MAX_TEXT_CHARS, MAX_WHOLE_BYTES } from "../../../src/search/texts/limits.ts";
import { readText } from "../../../src/search/texts/read-text.ts";
import { encodeFolder } from "../../../src/sharing/folders/folder.ts";
import { MAX_FOLDER_BYTES } from "../../../src/sharing/limits.ts";
import { tidy } from "../../../src/sharing/tidy.ts";
import { bombPdf, damagedPdf, docx, epub, odt, picturePdf, pptx, xlsx } from "./documents.ts";

const MIB = 1024 * 1024;
const FILE_ID = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const utf8 = (text: string) => new TextEncoder().encode(text);
const pdf = async () =>
  new Uint8Array(await readFile(new URL("../../fixtures/documents/sourdough.pdf", import.meta.url)));

describe("the text of a document", () => {
  it.each([
    ["notes.txt", utf8("Feed the  starter\r\n\tdaily."), "Feed the starter daily."],
    ["Makefile", utf8("all:\n\tcc main.c"), "all: cc main.c"],
    ["a.md", utf8("# Baking\n\n* [flour](http://x.example/y)\n* **salt**"), "Baking flour salt"],
    [
      "a.html",
      utf8("<title>Bread</title><style>p{}</style><script>x()</script><p>Knead <b>wel</b>l<p>Bake"),
      "Bread Knead well Bake",
    ],
    [
      "a.srt",
      utf8("1\n00:00:01,000 --> 00:00:02,000\n<i>Hello</i> there\n\n2\n00:00:03,000 --> 00:00:04,000\nGo on"),
      "Hello there Go on",
    ],
    [
      "a.ass",
      utf8(
        "[Events]\nFormat: Layer, Start\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\an8}Well, then\\Nrun",
      ),
      "Well, then run",
    ],
    [
      "a.lrc",
      utf8(
        "[ti:Kneading song]\n[ar:The Bakers]\n[length:02:10]\n[00:12.00]Fold the dough\n[00:15.00]\n[00:16.30][01:02.00]and let it rest",
      ),
      "Kneading song The Bakers Fold the dough and let it rest",
    ],
    [
      "a.sbv",
      utf8("0:00:01.000,0:00:02.000\nHello there\n\n0:00:03.000,0:00:04.000\n[sighs]\n[ANNA] Go on"),
      "Hello there [ANNA] Go on",
    ],
    [
      "a.rtf",
      utf8(
        "{\\rtf1\\ansi{\\fonttbl{\\f0 Arial;}}{\\*\\generator x;}\\f0 Caf\\'e9 \\b au\\b0  lait\\par \\u8364? 3}",
      ),
      "Café au lait € 3",
    ],
    // As LibreOffice writes it, TextEdit, WordPad in Russia, and Word in Japan.
    [
      "b.rtf",
      utf8("{\\rtf1\\ansi\\uc1 r\\u233\\'e9sum\\u233\\'e9 \\u8220\\'93ok\\u8221\\'94}"),
      "résumé “ok”",
    ],
    ["c.rtf", utf8("{\\rtf1\\ansi\\ansicpg1252 \\uc0\\u322 \\'e9{\\uc2\\u8364 EU}\\u8364 10}"), "łé€€10"],
    [
      "d.rtf",
      utf8("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8\\'e2\\'e5\\'f2\\par \\'97 \\{x\\}}"),
      "Привет — {x}",
    ],
    ["e.rtf", utf8("{\\rtf1\\ansi\\ansicpg932 \\'93\\'fa\\'96\\'7b}"), "日本"],
    // Several scripts, each in a font of its own, and a font that holds where none is named.
    [
      "f.rtf",
      utf8(
        "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fnil\\fcharset204 B;}{\\f2\\fcharset128 C;}}Caf\\'e9 {\\f1\\'cf\\'f0\\'e8} \\f2\\'93\\'fa\\f0  \\'e9}",
      ),
      "Café При 日 é",
    ],
    [
      "g.rtf",
      utf8(
        "{\\rtf1\\ansi\\deff1{\\fonttbl{\\f0\\cpg1251 A;}{\\f1\\fcharset238 B;}}\\'9elu\\'9d {\\f0\\'ef\\plain k\\'f9}}",
      ),
      "žluť пků",
    ],
    ["a.docx", docx("Thesis", "On kneading", "Second"), "Thesis On kneading Second"],
    ["a.odt", odt("On proofing"), "On proofing"],
    ["a.xlsx", xlsx("Flour", "Water"), "Budget Flour Water"],
    ["a.epub", epub("The Loaf", "One", "Two"), "The Loaf One Two"],
    [
      "a.xhtml",
      utf8(
        '<html><head><title/><script src="x.js"/></head><body><p>Knead<br/>well</p><p>Bake</p></body></html>',
      ),
      "Knead well Bake",
    ],
    [
      "a.zip",
      zipSync({ "loaf/crumb.jpg": utf8("x"), "loaf/crust.jpg": utf8("y") }),
      "loaf/crumb.jpg loaf/crust.jpg",
    ],
    [
      "trip.folder.json",
      encodeFolder(["b/sand.jpg", "a sea.jpg"].map((path) => ({ path, fileId: FILE_ID, sizeBytes: 1 }))),
      "a sea.jpg, b/sand.jpg",
    ],
    ["a.svg", utf8("<svg><title>Oven</title><text>hot<tspan>ter</tspan></text></svg>"), "Oven hotter"],
  ])("%s is read", async (name, bytes, text) => {
    expect(await readText(name, bytes)).toBe(text);
  });

  it("takes slides in the order of their numbers", async () => {
    const slides = Array.from({ length: 11 }, (_, i) => `slide ${i + 1}`);
    expect(await readText("a.pptx", pptx(...slides))).toBe(slides.join(" "));
  });

  it("reads the title and pages of a PDF, also under a wrong name", async () => {
    for (const name of ["a.pdf", "a.txt"]) {
      const text = await readText(name, await pdf());
      expect(text).toContain("Flour, water and salt – naïve café");
      expect(text).toMatch(/^Sourdough/);
    }
  });

  it("reads the pages of a PDF that are whole, where others are not", async () => {
    expect(await readText("a.pdf", damagedPdf("Knead the dough"))).toBe("Knead the dough");
  });

  it.each([
    ["utf-16le with a mark", Uint8Array.of(0xff, 0xfe, ...Buffer.from("Žluťoučký kůň", "utf16le"))],
    ["utf-16le without", new Uint8Array(Buffer.from("The quick brown fox", "utf16le"))],
    ["utf-8 with a mark", utf8("\ufeffŽluťoučký kůň")],
    [
      "windows-1251",
      new Uint8Array(
        Buffer.from(
          "cff0e8e2e5f22c20ece8f02120caeee3e4e020ede0f1f2f3efe8f220e2e5f1ede02c20ecfb20efeee5e4e5ec20ede020e4e0f7f32e",
          "hex",
        ),
      ),
    ],
  ])("is decoded from %s", async (_encoding, bytes) => {
    expect(await readText("a.txt", bytes)).toMatch(
      /^(Žluťoučký kůň|The quick brown fox|Привет, мир!.*дачу\.)$/,
    );
  });

  it.each([
    [
      "a.fb2",
      '<?xml version="1.0" encoding="windows-1250"?><p>%</p>',
      "9e6c759d6f75e86bfd206bf9f2",
      "žluťoučký kůň",
    ],
    ["a.html", '<meta charset="iso-8859-9"><p>%</p>', "79617efdfe20feeffd", "ya~ış şïı"],
    ["a.html", "<META content='text/html; charset=windows-1255'><p>%</p>", "f9ece5ed", "שלום"],
    // No encoding, one that the bytes are not in, and bytes that are UTF-8 all the same.
    ["a.html", '<meta charset="klingon"><p>%</p>', "636166e9", "café"],
    ["a.html", '<meta charset="utf-8"><p>%</p>', "636166e9", "café"],
    ["a.html", '<meta charset="windows-1251"><p>%</p>', "636166c3a9", "café"],
  ])("of %s is decoded as its markup declares, if it does: %s", async (name, markup, hex, text) => {
    const [before = "", after = ""] = markup.split("%");
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from(hex, "hex"), Buffer.from(after)]);
    expect(await readText(name, new Uint8Array(bytes))).toBe(text);
  });

  it("leaves out a character that the end of the bytes cuts", async () => {
    expect(await readText("a.txt", utf8("crumb ž").subarray(0, -1))).toBe("crumb");
  });

  it("is known by its main part where the list of types comes last, behind more than is unpacked", async () => {
    const paragraphs = `<w:p><w:t>Kneading </w:t></w:p>${"<w:p><w:pPr/></w:p>".repeat(300_000)}`;
    const thesis = zipSync({
      "word/document.xml": utf8(`<w:document>${paragraphs}</w:document>`),
      "[Content_Types].xml": utf8("<Types/>"),
    });
    expect(await readText("thesis.docx", thesis)).toBe("Kneading");
  });
});

describe("a hostile document", () => {
  it("has no text where it is data", async () => {
    expect(
      await readText(
        "a.txt",
        new Uint8Array(1000).map((_, i) => i),
      ),
    ).toBe("");
    expect(await readText("a.docx", utf8("\0\0no archive"))).toBe("");
  });

  it("is left after the bytes that are allowed, as a bomb within an archive", async () => {
    const bomb = zipSync({
      "[Content_Types].xml": utf8(""),
      "word/document.xml": utf8(`<w:p><w:t>seen ${" ".repeat(1000)}`),
      "docProps/core.xml": [new Uint8Array(12 * MIB).fill(0x20), { level: 1 }],
      "after.html": utf8("<p>unseen</p>"),
    });
    expect(await readText("a.docx", bomb)).toBe("seen");
  });

  it.each([
    ["an endless line", "a.txt", "x".repeat(256 * 1024)],
    ["one with spaces", "a.md", "[ ](".repeat(64 * 1024)],
    ["deep nesting", "a.html", "<div>".repeat(50_000)],
    ["deep nesting of XML", "a.xml", "<a>".repeat(80_000)],
    ["an attribute without end", "a.html", `<p title="${"x ".repeat(120_000)}`],
    ["unclosed groups", "a.rtf", `{\\rtf1${"{\\*\\a".repeat(40_000)}`],
    ["unclosed tags of subtitles", "a.srt", "<{".repeat(120_000)],
    ["comments without end", "a.md", "<!-- ".repeat(10_000)],
    ["links without end", "a.md", "](a".repeat(80_000)],
    ["escapes without end", "a.json", `"${'\\"'.repeat(120_000)}`],
    ["columns without end", "a.csv", ",;".repeat(120_000)],
    ["soft ends of lines", "a.vcf", `FN;QUOTED-PRINTABLE:${"a=\n".repeat(80_000)}`],
    ["quotes in parameters", "a.ics", `SUMMARY${';a="'.repeat(60_000)}`],
    ["encoded words without end", "a.eml", `Subject: ${"=?a?b?".repeat(40_000)}`],
    [
      "white space before nothing",
      "a.eml",
      `Content-Transfer-Encoding: quoted-printable\n\n=${" ".repeat(240_000)}`,
    ],
    ["parts within parts", "a.eml", "Content-Type: multipart/mixed; boundary=x\n\n--x\n".repeat(5000)],
    ["mails without text", "a.mbox", "\n\nFrom a\n\n".repeat(25_000)],
    ["markup within text", "a.rss", `<rss><title>${"&lt;a ".repeat(50_000)}`],
    ["blocks without end", "a.vtt", `WEBVTT${"\n\n-->".repeat(50_000)}`],
    ["direction and control marks", "a.txt", "\u202e\u200b\u0007".repeat(80_000)],
  ])("costs little and yields little, as %s", async (_what, name, text) => {
    expect((await readText(name, utf8(text))).length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
  });

  it("is not read where it unpacks to more than the memory for it, as a bomb of streams in a PDF", async () => {
    expect(await readText("a.pdf", bombPdf("Knead", 8, 1))).toBe("Knead");
    await expect(readText("a.pdf", bombPdf("Knead", 8, 20))).rejects.toThrow(/unpacks to too much/);
  });

  it("nor where what it unpacks to are numbers, as of a picture that a PDF's text is packed as", async () => {
    expect(await readText("a.pdf", picturePdf(16))).toBe("");
    await expect(readText("a.pdf", picturePdf(12_000))).rejects.toThrow(/unpacks to too much/);
  });

  it("says why it can't be read, as a damaged PDF", async () => {
    await expect(readText("a.pdf", utf8("%PDF-1.7\nnothing"))).rejects.toThrow(/PDF/);
  });

  it("is never read past its limits", () => {
    expect(bytesToRead("a.pdf", MAX_WHOLE_BYTES + 1)).toBe(0);
    expect(bytesToRead("a.folder.json", MAX_FOLDER_BYTES)).toBe(MAX_FOLDER_BYTES);
    expect(bytesToRead("a.folder.json", MAX_FOLDER_BYTES + 1)).toBe(0);
    expect(bytesToRead("a.zip", 1e12)).toBe(MAX_WHOLE_BYTES);
    expect(bytesToRead("a.txt", 1e12)).toBe(256 * 1024);
    expect(bytesToRead("a.mkv", 1e12)).toBe(0);
  });

  it("is read to its end or refused, whatever its bytes", async () => {
    const names = fc.constantFrom("a.txt", "a.html", "a.srt", "a.rtf", "a.xml", "a.docx", "a.epub", "a");
    await fc.assert(
      fc.asyncProperty(names, fc.uint8Array({ maxLength: 400 }), async (name, bytes) => {
        const text = await readText(name, bytes);
        expect(text).toBe(tidy(text, MAX_TEXT_CHARS));
      }),
      { numRuns: 200 },
    );
  });

  it("is read as far as it goes, cut short or changed at any place", async () => {
    const whole = docx("Thesis", "On kneading and folding of dough", "Second");
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, byte) => {
        const changed = whole.slice();
        changed[at] = byte;
        // One byte of what is deflated may make many letters.
        for (const bytes of [changed, whole.slice(0, at)]) {
          const text = await readText("a.docx", bytes);
          expect(text).toBe(tidy(text, MAX_TEXT_CHARS));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe("tidied text", () => {
  it.each([
    ["Chinese", "今天天气很好，我们去公园散步。"],
    ["Japanese", "パン生地をこねて、一晩ねかせます。"],
    ["Thai", "นวดแป้งแล้วพักไว้ข้ามคืน"],
  ])("keeps what has no spaces between its words, as %s, and no data within", (_script, sentence) => {
    const text = sentence.repeat(10);
    expect(tidy(text, MAX_TEXT_CHARS)).toBe(text.normalize("NFC"));
    expect(tidy(`${text} ${"QUJD".repeat(30)} ${text}`, MAX_TEXT_CHARS)).toBe(
      `${text} ${text}`.normalize("NFC"),
    );
  });

  it.each([
    ["Latin", `${"word ".repeat(7)}unbroken`, 38, "word word word word word word word"],
    ["Chinese", "今天天气很好我们去公园散步", 6, "今天天气很好"],
    ["Devanagari", "किताब".repeat(3), 6, "किताब"],
    ["emoji", "👍🏽👍🏽", 6, "👍🏽"],
    ["letters with marks that have no one character", "x\u0323\u0301y\u0323\u0301", 4, "x\u0323\u0301"],
    ["marks without end", `x${"\u0301\u0302".repeat(30)}`, 20, `x${"\u0301\u0302".repeat(10)}`.slice(0, 20)],
  ])("is cut between words or characters, as %s", (_script, text, max, cut) => {
    expect(tidy(text, max)).toBe(cut);
  });

  it("is one line without marks that can't be seen, and within its length", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 300 }),
        fc.integer({ min: 1, max: 80 }),
        (text, max) => {
          const plain = tidy(text, max);
          expect(plain.length).toBeLessThanOrEqual(max);
          expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]|\s{2}|[^\S ]/u);
        },
      ),
      { numRuns: 50 },
    );
  });
});
