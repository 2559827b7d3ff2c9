/**
 * The text of a document: the words of its first pages, or none where it has none that can be read. Called in a thread of its
 * own by serve-texts, for strangers wrote the document; calls one reader a format, each loaded when it is first needed.
 */
import { tidy } from "../../sharing/tidy.ts";
import { decodeText } from "./decoding.ts";
import { type Format, formatNamed } from "./formats.ts";
import { HEAD_BYTES, MAX_RAW_CHARS, MAX_TEXT_CHARS } from "./limits.ts";
import type { Vocabulary } from "./vocabularies.ts";

/** Gives the text, untidied. @throws for a document that is damaged or locked */
type Reader = (bytes: Uint8Array) => string | Promise<string>;

/** Empty where there is no text. @throws what a reader throws, and what loading it does */
export async function readText(name: string, bytes: Uint8Array): Promise<string> {
  const read = await loadReader(name, bytes);
  return tidy((await read(bytes)).slice(0, MAX_RAW_CHARS), MAX_TEXT_CHARS);
}

/** What reads a document of that name which begins with these bytes. */
export async function loadReader(name: string, head: Uint8Array): Promise<Reader> {
  return READERS[formatOf(name, head)]();
}

/** What the bytes begin with says more than the name does. */
function formatOf(name: string, bytes: Uint8Array): Format {
  const head = String.fromCharCode(...bytes.subarray(0, HEAD_BYTES));
  const named = formatNamed(name);
  if (head.startsWith("%PDF-")) return "pdf";
  if (head.startsWith("PK\x03\x04")) return "packed";
  if (head.startsWith("{\\rtf")) return "rtf";
  return named === undefined || named === "pdf" || named === "packed" || named === "rtf" ? "plain" : named;
}

const READERS: Record<Format, () => Promise<Reader>> = {
  plain: async () => ofText((text) => text),
  markdown: async () => ofText((await import("./plain-text.ts")).markdownText),
  subtitles: async () => ofText((await import("./plain-text.ts")).subtitleText),
  table: async () => ofText((await import("./table-text.ts")).csvText),
  json: async () => ofText((await import("./table-text.ts")).jsonText),
  mail: async () => (await import("./mail-text.ts")).mailText,
  mailbox: async () => (await import("./mail-text.ts")).mailboxText,
  contentLines: async () => ofText((await import("./content-lines.ts")).contentLinesText),
  rtf: async () => ofText((await import("./rtf-text.ts")).rtfText),
  html: () => markupReader((vocabularies) => vocabularies.HTML),
  xml: () => markupReader(({ xmlVocabulary }, markup) => xmlVocabulary(markup)),
  packed: async () => (await import("./packed-text.ts")).packedText,
  pdf: async () => {
    const { loadPdfJs, pdfText } = await import("./pdf-text.ts");
    await loadPdfJs();
    return pdfText;
  },
  folder: async () => (await import("./folder-text.ts")).folderText,
};

/** Of bytes that are no text nothing is read. */
function ofText(read: (text: string) => string): Reader {
  return (bytes) => {
    const text = decodeText(bytes)?.text;
    return text === undefined ? "" : read(text);
  };
}

async function markupReader(
  vocabularyOf: (vocabularies: typeof import("./vocabularies.ts"), markup: string) => Vocabulary,
): Promise<Reader> {
  const { declaredEncoding, markupText } = await import("./markup-text.ts");
  const vocabularies = await import("./vocabularies.ts");
  return (bytes) => {
    const markup = decodeText(bytes, declaredEncoding(bytes))?.text ?? "";
    return markupText(markup, vocabularyOf(vocabularies, markup));
  };
}
