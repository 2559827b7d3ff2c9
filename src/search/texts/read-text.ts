/**
 * The text of a document: the words of its first pages, or none where it has none that can be read. Called in a thread of its
 * own by serve-texts, for strangers wrote the document; calls one reader a format, each loaded when it is first needed.
 */

import { tidy } from "../../sharing/tidy.ts";
import { extensionOf, fileTypeOf } from "../file-kind.ts";
import { decodeText } from "./decoding.ts";
import { MAX_PLAIN_BYTES, MAX_RAW_CHARS, MAX_TEXT_CHARS, MAX_WHOLE_BYTES } from "./limits.ts";

type Format = "plain" | "markdown" | "subtitles" | "rtf" | "html" | "xml" | "packed" | "pdf";

/** Formats that are not plain text, by extension. */
const FORMATS = new Map<string, Format>(
  Object.entries({
    markdown: "md markdown mdown mkd rst adoc",
    subtitles: "srt vtt ass ssa sub sbv lrc",
    rtf: "rtf",
    html: "html htm xhtml xht",
    xml: "xml rss atom gpx kml svg fb2 fodt fods fodp opml plist xsd xsl",
    packed:
      "docx docm dotx pptx pptm ppsx potx xlsx xlsm xltx odt ott ods ots odp otp epub zip jar war apk cbz",
    pdf: "pdf",
  }).flatMap(([format, extensions]) =>
    extensions.split(" ").map((extension): [string, Format] => [extension, format as Format]),
  ),
);

/** Kinds whose bytes hold no text but by a format of the table above. */
const WITHOUT_TEXT = new Set(["image", "audio", "video", "archive", "font", "program"]);

/** How many bytes from the beginning are needed to read a text; 0: there is none to be had. */
export function bytesToRead(name: string, sizeBytes: number): number {
  const format = FORMATS.get(extensionOf(name));
  if (format === "pdf") return sizeBytes <= MAX_WHOLE_BYTES ? sizeBytes : 0;
  if (format === "packed") return Math.min(sizeBytes, MAX_WHOLE_BYTES);
  if (format === undefined && WITHOUT_TEXT.has(fileTypeOf(name).kind)) return 0;
  return Math.min(sizeBytes, MAX_PLAIN_BYTES);
}

/** Empty where there is no text. @throws what a reader throws for a document that is damaged or locked */
export async function readText(name: string, bytes: Uint8Array): Promise<string> {
  const raw = await rawText(formatOf(name, bytes), bytes);
  return tidy(raw.slice(0, MAX_RAW_CHARS), MAX_TEXT_CHARS);
}

/** What the bytes begin with says more than the name does. */
function formatOf(name: string, bytes: Uint8Array): Format {
  const head = String.fromCharCode(...bytes.subarray(0, 8));
  const named = FORMATS.get(extensionOf(name));
  if (head.startsWith("%PDF-")) return "pdf";
  if (head.startsWith("PK\x03\x04")) return "packed";
  if (head.startsWith("{\\rtf")) return "rtf";
  return named === undefined || named === "pdf" || named === "packed" || named === "rtf" ? "plain" : named;
}

async function rawText(format: Format, bytes: Uint8Array): Promise<string> {
  if (format === "pdf") return (await import("./pdf-text.ts")).pdfText(bytes);
  if (format === "packed") return (await import("./packed-text.ts")).packedText(bytes);
  const text = decodeText(bytes);
  if (text === undefined) return "";
  if (format === "html" || format === "xml") {
    return (await import("./markup-text.ts")).markupText(text, format);
  }
  const { subtitleText, markdownText, rtfText } = await import("./plain-text.ts");
  switch (format) {
    case "subtitles":
      return subtitleText(text);
    case "markdown":
      return markdownText(text);
    case "rtf":
      return rtfText(text);
    case "plain":
      return text;
  }
}
