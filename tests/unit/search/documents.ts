/** Small documents of each packed format, as their programs lay them out, for the suites of this folder. */
import { strFromU8, strToU8, zipSync, zlibSync } from "fflate";

const CONTENT_TYPES = { "[Content_Types].xml": strToU8("<Types/>") };

const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;

/** Two pages, of which the second is not there. */
export function damagedPdf(text: string): Uint8Array<ArrayBuffer> {
  return pdf({ pages: "3 0 R 9 0 R", stream: shown(text) });
}

/** Its font tells the width of four hundred million characters in a few bytes; PDF.js makes as many numbers of them. */
export function widePdf(text: string): Uint8Array<ArrayBuffer> {
  return pdfOfWidths(text, "1000 400000000 500");
}

/** Its font tells the widths of a million characters, again and again: PDF.js is busy for minutes, and takes little memory. */
export function busyPdf(text: string): Uint8Array<ArrayBuffer> {
  return pdfOfWidths(text, "0 1000000 500 ".repeat(200_000));
}

function pdfOfWidths(text: string, widths: string): Uint8Array<ArrayBuffer> {
  const fonts = [
    "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[6 0 R]>>",
    "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>" +
      `/FontDescriptor<</Type/FontDescriptor/FontName/A/Flags 4>>/W[${widths}]>>`,
  ];
  return pdf({ stream: shown(text), fonts });
}

/** Its one page is the same stream again and again, each of `mebibytes` once it is unpacked. */
export function bombPdf(text: string, mebibytes: number, times: number): Uint8Array<ArrayBuffer> {
  const packed = zlibSync(strToU8(shown(text).padEnd(mebibytes * 1024 * 1024)));
  const stream = strFromU8(packed, true);
  return pdf({ contents: `[${"4 0 R ".repeat(times)}]`, stream, filter: "/Filter/FlateDecode" });
}

/** Its page's text is what a picture of so many grey pixels packs, itself packed: PDF.js takes two bytes for each of them. */
export function picturePdf(sidePixels: number): Uint8Array<ArrayBuffer> {
  const side = [sidePixels >> 8, sidePixels & 0xff];
  const picture = [
    ...[0xff, 0xd8],
    ...[0xff, 0xdb, 0, 67, 0, ...Array(64).fill(1)],
    ...[0xff, 0xc0, 0, 11, 8, ...side, ...side, 1, 1, 0x11, 0],
    ...[0xff, 0xc4, 0, 20, 0, 1, ...Array(15).fill(0), 0],
    ...[0xff, 0xc4, 0, 20, 0x10, 1, ...Array(15).fill(0), 0],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0],
    ...[0xff, 0xd9],
  ];
  const stream = strFromU8(Uint8Array.from(picture), true);
  return pdf({ contents: "4 0 R", stream, filter: "/Filter[/DCTDecode/RunLengthDecode]" });
}

const shown = (text: string) => `BT /F1 12 Tf 10 100 Td (${text}) Tj ET`;

function pdf({
  pages = "3 0 R",
  contents = "[4 0 R]",
  stream,
  filter = "",
  fonts = ["<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"],
}: {
  pages?: string;
  contents?: string;
  stream: string;
  filter?: string;
  fonts?: string[];
}): Uint8Array<ArrayBuffer> {
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    `<</Type/Pages/Kids[${pages}]/Count ${pages.split("R").length - 1}>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents ${contents}/Resources<</Font<</F1 5 0 R>>>>>>`,
    `<<${filter}/Length ${stream.length}>>stream\n${stream}\nendstream`,
    ...fonts,
  ].map((object, i) => `${i + 1} 0 obj${object}endobj`);
  const lines = ["%PDF-1.4", ...objects, "trailer<</Root 1 0 R>>"];
  return strToU8(lines.join("\n"), true) as Uint8Array<ArrayBuffer>;
}

export function docx(title: string, ...paragraphs: string[]): Uint8Array<ArrayBuffer> {
  return zipSync({
    ...CONTENT_TYPES,
    "word/document.xml": strToU8(
      `<w:document><w:body>${paragraphs.map(paragraph).join("")}<w:p><w:r><w:instrText>PAGEREF _Toc1</w:instrText></w:r></w:p></w:body></w:document>`,
    ),
    "docProps/core.xml": strToU8(`<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`),
  }) as Uint8Array<ArrayBuffer>;
}

export function pptx(...slides: string[]): Uint8Array<ArrayBuffer> {
  const entries = slides.map((text, i): [string, Uint8Array] => [
    `ppt/slides/slide${i + 1}.xml`,
    strToU8(`<p:sld><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:sld>`),
  ]);
  // As PowerPoint does, by name: slide10 stands before slide2.
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return zipSync({ ...CONTENT_TYPES, ...Object.fromEntries(entries) }) as Uint8Array<ArrayBuffer>;
}

export function xlsx(...cells: string[]): Uint8Array<ArrayBuffer> {
  const items = cells.map((text) => `<si><t>${text}</t></si>`).join("");
  return zipSync({
    ...CONTENT_TYPES,
    "xl/workbook.xml": strToU8('<workbook><sheets><sheet name="Budget"/></sheets></workbook>'),
    "xl/sharedStrings.xml": strToU8(`<sst>${items}</sst>`),
  }) as Uint8Array<ArrayBuffer>;
}

export function odt(text: string): Uint8Array<ArrayBuffer> {
  return zipSync({
    mimetype: [strToU8("application/vnd.oasis.opendocument.text"), { level: 0 }],
    "content.xml": strToU8(
      `<office:document-content><office:automatic-styles><style>Arial</style></office:automatic-styles><office:body><text:p>${text}</text:p></office:body></office:document-content>`,
    ),
  }) as Uint8Array<ArrayBuffer>;
}

export function epub(title: string, ...chapters: string[]): Uint8Array<ArrayBuffer> {
  return zipSync({
    mimetype: [strToU8("application/epub+zip"), { level: 0 }],
    ...Object.fromEntries(
      chapters.map((text, i) => [
        `OEBPS/chapter${i}.xhtml`,
        strToU8(`<html><body><p>${text}</p></body></html>`),
      ]),
    ),
    "OEBPS/content.opf": strToU8(`<package><metadata><dc:title>${title}</dc:title></metadata></package>`),
  }) as Uint8Array<ArrayBuffer>;
}

/** An archive of these parts. */
export function packed(parts: Record<string, string>): Uint8Array<ArrayBuffer> {
  const entries = Object.entries(parts).map(([name, text]): [string, Uint8Array] => [name, strToU8(text)]);
  return zipSync(Object.fromEntries(entries)) as Uint8Array<ArrayBuffer>;
}
