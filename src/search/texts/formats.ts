/**
 * Which documents hold a text, by their names, and how much of them is needed for it. Called by file-texts in the node, which
 * must not load what reads them, and by read-text in its thread.
 */
import { MAX_FOLDER_BYTES } from "../../sharing/limits.ts";
import { folderNameOf } from "../../spelling/folder-name.ts";
import { extensionOf, fileTypeOf } from "../file-kind.ts";
import { MAX_PLAIN_BYTES, MAX_WHOLE_BYTES } from "./limits.ts";

export type Format =
  | "plain"
  | "markdown"
  | "subtitles"
  | "table"
  | "json"
  | "mail"
  | "mailbox"
  | "contentLines"
  | "rtf"
  | "html"
  | "xml"
  | "packed"
  | "pdf"
  | "folder";

/** Formats that are not plain text, by extension. */
const FORMATS = new Map<string, Format>(
  Object.entries({
    markdown: "md markdown mdown mkd rst adoc",
    subtitles: "srt vtt ass ssa sub sbv lrc",
    table: "csv tsv tab",
    json: "json jsonl ndjson geojson ipynb har webmanifest",
    mail: "eml mht mhtml",
    mailbox: "mbox",
    contentLines: "ics vcf",
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

/** Undefined: its name tells of none, or of plain text. */
export function formatNamed(name: string): Format | undefined {
  return folderNameOf(name) === undefined ? FORMATS.get(extensionOf(name)) : "folder";
}

/** Kinds whose bytes hold no text but by a format of the table above. */
const WITHOUT_TEXT = new Set(["image", "audio", "video", "archive", "font", "program"]);

/** How many bytes from the beginning are needed to read a text; 0: there is none to be had. */
export function bytesToRead(name: string, sizeBytes: number): number {
  const format = formatNamed(name);
  if (format === "pdf") return sizeBytes <= MAX_WHOLE_BYTES ? sizeBytes : 0;
  if (format === "folder") return sizeBytes <= MAX_FOLDER_BYTES ? sizeBytes : 0;
  if (format === "packed") return Math.min(sizeBytes, MAX_WHOLE_BYTES);
  if (format === undefined && WITHOUT_TEXT.has(fileTypeOf(name).kind)) return 0;
  return Math.min(sizeBytes, MAX_PLAIN_BYTES);
}
