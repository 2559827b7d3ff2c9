/** What is read of Office, OpenDocument and books, as their programs write them. */
import { describe, expect, it } from "vitest";
import { MAX_PART_BYTES, MAX_UNPACKED_BYTES } from "../../../src/search/texts/limits.ts";
import { readText } from "../../../src/search/texts/read-text.ts";
import { packed } from "./documents.ts";

const word = (body: string, more: Record<string, string> = {}) =>
  packed({
    "[Content_Types].xml": "<Types/>",
    "docProps/core.xml":
      "<cp:coreProperties><dc:title>Thesis</dc:title><dc:creator>Ada</dc:creator><cp:revision>3</cp:revision>" +
      "<dcterms:created>2024-01-02T03:04:05Z</dcterms:created></cp:coreProperties>",
    "word/document.xml": `<w:document><w:body>${body}</w:body></w:document>`,
    ...more,
  });

const sheets = (parts: Record<string, string>) =>
  packed({
    "[Content_Types].xml": "<Types/>",
    "xl/workbook.xml":
      '<workbook><sheets><sheet name="Sheet1"/><sheet name="Travel 2024"/></sheets></workbook>',
    ...parts,
  });

describe("of a text document", () => {
  it("a word is whole that stands in several runs, each with its properties", async () => {
    const run = (text: string) => `<w:r><w:rPr><w:b/><w:lang w:val="en"/></w:rPr><w:t>${text}</w:t></w:r>`;
    const body = `<w:p>${run("Knea")}<w:proofErr/><w:bookmarkStart/>${run("ding")}<w:r><w:tab/></w:r>${run("well")}</w:p>`;
    expect(await readText("a.docx", word(body))).toBe("Thesis Kneading well");
  });

  it("cells stand apart, text boxes count once, and no places of drawings do", async () => {
    const box = "<w:txbxContent><w:p><w:r><w:t>Aside</w:t></w:r></w:p></w:txbxContent>";
    const body =
      "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Flour</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Salt</w:t></w:r></w:p></w:tc></w:tr></w:tbl>" +
      `<w:p><w:r><mc:AlternateContent><mc:Choice><wp:posOffset>914400</wp:posOffset><wp:docPr descr="A crusty loaf"/>${box}</mc:Choice>` +
      `<mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r></w:p>`;
    expect(await readText("a.docx", word(body))).toBe("Thesis Flour Salt A crusty loaf Aside");
  });

  it("notes, headers and comments come after the text; how words are pronounced, and what was moved away, does not", async () => {
    const part = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const body =
      "<w:p><w:moveFrom><w:r><w:t>gone</w:t></w:r></w:moveFrom><w:r><w:ruby><w:rt><w:r><w:t>かん</w:t></w:r></w:rt>" +
      "<w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>字</w:t></w:r></w:p>";
    const more = {
      "word/header1.xml": part("Bakers' gazette"),
      "word/footnotes.xml": part("See page nine"),
      "word/comments.xml": part("Is that so?"),
      "word/styles.xml": "<w:styles><w:t>Normal</w:t></w:styles>",
    };
    expect(await readText("a.docx", word(body, more))).toBe(
      "Thesis 漢字 See page nine Bakers' gazette Is that so?",
    );
  });
});

describe("of slides", () => {
  it("notes come after all slides, and the numbers of slides don't", async () => {
    const text = (words: string) => `<a:p><a:r><a:rPr lang="en"/><a:t>${words}</a:t></a:r></a:p>`;
    const bytes = packed({
      "ppt/presentation.xml": "<p:presentation/>",
      "ppt/slides/slide2.xml": `<p:sld>${text("Second")}</p:sld>`,
      "ppt/slides/slide1.xml": `<p:sld><p:cNvPr descr="An oven"/>${text("First")}<a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p></p:sld>`,
      "ppt/notesSlides/notesSlide1.xml": `<p:notes>${text("Speak slowly")}</p:notes>`,
    });
    expect(await readText("a.pptx", bytes)).toBe("An oven First Second Speak slowly");
  });
});

describe("of sheets", () => {
  it("shared texts are read, those in several runs as one and without how they are pronounced", async () => {
    const shared =
      "<sst><si><t>Flour</t></si><si><r><rPr><b/></rPr><t>Wa</t></r><r><t>ter</t></r></si>" +
      '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh><phoneticPr/></si></sst>';
    expect(await readText("a.xlsx", sheets({ "xl/sharedStrings.xml": shared }))).toBe(
      "Travel 2024 Flour Water 東京",
    );
  });

  it("texts in cells and those that formulas give are read, and neither numbers nor formulas", async () => {
    const rows =
      '<sheetData><row><c t="inlineStr"><is><t>Train</t></is></c><c><f>SUM(A1:A2)</f><v>42</v></c><c t="s"><v>0</v></c>' +
      '<c t="str"><f>A1&amp;"s"</f><v>Trains</v></c></row></sheetData><oddFooter>Page 1</oddFooter>';
    const prefixed = '<x:worksheet><x:c t="inlineStr"><x:is><x:t>Ferry</x:t></x:is></x:c></x:worksheet>';
    const parts = {
      "xl/worksheets/sheet10.xml": prefixed,
      "xl/worksheets/sheet2.xml": `<worksheet>${rows}</worksheet>`,
      "xl/comments1.xml":
        "<comments><authors><author>Ada</author></authors><comment><text><t>Too dear</t></text></comment></comments>",
    };
    expect(await readText("a.xlsx", sheets(parts))).toBe("Travel 2024 Train Trains Ferry Too dear");
  });

  it("shared texts are read though large sheets of numbers stand before them", async () => {
    const sheet = `<worksheet>${"<c><v>1</v></c>".repeat(MAX_PART_BYTES / 14)}</worksheet>`;
    const names = Array.from(
      { length: MAX_UNPACKED_BYTES / MAX_PART_BYTES + 1 },
      (_, i) => `xl/worksheets/sheet${i}.xml`,
    );
    const parts = Object.fromEntries(names.map((name) => [name, sheet]));
    const bytes = sheets({ ...parts, "xl/sharedStrings.xml": "<sst><si><t>Flour</t></si></sst>" });
    expect(await readText("a.xlsx", bytes)).toBe("Travel 2024 Flour");
  });
});

it("of OpenDocument, words are whole and cells apart, without who wrote it and the numbers of notes", async () => {
  const bytes = packed({
    mimetype: "application/vnd.oasis.opendocument.spreadsheet",
    "meta.xml":
      "<office:document-meta><meta:generator>LibreOffice/7.4$Linux</meta:generator><dc:date>2024-01-02</dc:date>" +
      "<dc:title>Costs</dc:title></office:document-meta>",
    "content.xml":
      '<office:document-content><table:table table:name="Table1"><table:table-cell><text:p>Fl<text:span>our</text:span>' +
      "<text:bookmark/>s</text:p></table:table-cell><table:table-cell><text:p>2.50</text:p></table:table-cell></table:table>" +
      '<table:table table:name="Old prices"><text:p>Salt<text:note><text:note-citation>1</text:note-citation>' +
      "<text:note-body><text:p>from the sea</text:p></text:note-body></text:note></text:p></table:table></office:document-content>",
  });
  expect(await readText("a.ods", bytes)).toBe("Costs Flours 2.50 Old prices Salt from the sea");
});

describe("of a book", () => {
  const chapter = (text: string) => `<html><body><p>${text}</p></body></html>`;
  const item = (id: string, href: string) => `<item id="${id}" href="${href}"/>`;

  it("chapters come in the order of its spine, without what stands beside it", async () => {
    const bytes = packed({
      mimetype: "application/epub+zip",
      "OEBPS/text/a end.xhtml": chapter("Three"),
      "OEBPS/text/b.xhtml": chapter("Two"),
      "OEBPS/notes.xhtml": chapter("Note"),
      "OEBPS/z.xhtml": chapter("<ruby>漢<rp>(</rp><rt>かん</rt></ruby>字"),
      "OEBPS/content.opf":
        "<package><metadata><dc:title>The Loaf</dc:title><dc:creator>Ada</dc:creator><dc:identifier>urn:uuid:1</dc:identifier>" +
        "<dc:description>&lt;p&gt;On &lt;b&gt;bread&lt;/b&gt;&lt;/p&gt;</dc:description></metadata>" +
        `<manifest>${item("1", "z.xhtml")}${item("2", "text/b.xhtml#top")}${item("3", "text/a%20end.xhtml")}${item("4", "notes.xhtml")}</manifest>` +
        '<spine><itemref idref="1"/><itemref idref="4" linear="no"/><itemref idref="2"/><itemref idref="3"/></spine></package>',
    });
    expect(await readText("a.epub", bytes)).toBe("The Loaf Ada On bread 漢字 Two Three");
  });

  it("that is a zipped FictionBook, it is read in its encoding, without codes", async () => {
    const start =
      '<?xml version="1.0" encoding="windows-1251"?><FictionBook><description><title-info><genre>sf_x</genre><book-title>';
    const end =
      "</book-title></title-info><document-info><id>12-34</id></document-info></description><body><p>Go</p></body><binary>QUJD</binary></FictionBook>";
    const bytes = Uint8Array.from(
      [...start]
        .map((c) => c.charCodeAt(0))
        .concat(
          [0xcc, 0xe8, 0xf0],
          [...end].map((c) => c.charCodeAt(0)),
        ),
    );
    const { zipSync } = await import("fflate");
    expect(await readText("a.fb2.zip", zipSync({ "a.fb2": bytes }))).toBe("Мир Go");
    expect(await readText("a.fb2", bytes)).toBe("Мир Go");
  });
});

it("of an archive or a folder, long paths are words, and no data", async () => {
  const path = "holiday_pictures/2024/in_the_mountains_with_everyone_and_the_dog/IMG_20240801.jpg";
  expect(await readText("a.zip", packed({ [path]: "x" }))).toContain("mountains with everyone");
});
