/**
 * The text of a document: the words of its first pages, or none where it has none that can be read. Called in a thread of its
 * own by serve-texts, for strangers wrote the document; calls one reader a format, each loaded when it is first needed.
 */
import { tidy } from "../../sharing/tidy.ts";
import { decodeText } from "./decoding.ts";
import { type Format, formatNamed } from "./formats.ts";
import { MAX_RAW_CHARS, MAX_TEXT_CHARS } from "./limits.ts";

/** Empty where there is no text. @throws what a reader throws for a document that is damaged or locked */
export async function readText(name: string, bytes: Uint8Array): Promise<string> {
  const raw = await rawText(formatOf(name, bytes), bytes);
  return tidy(raw.slice(0, MAX_RAW_CHARS), MAX_TEXT_CHARS);
}

/** What the bytes begin with says more than the name does. */
function formatOf(name: string, bytes: Uint8Array): Format {
  const head = String.fromCharCode(...bytes.subarray(0, 8));
  const named = formatNamed(name);
  if (head.startsWith("%PDF-")) return "pdf";
  if (head.startsWith("PK\x03\x04")) return "packed";
  if (head.startsWith("{\\rtf")) return "rtf";
  return named === undefined || named === "pdf" || named === "packed" || named === "rtf" ? "plain" : named;
}

async function rawText(format: Format, bytes: Uint8Array): Promise<string> {
  if (format === "pdf") return (await import("./pdf-text.ts")).pdfText(bytes);
  if (format === "packed") return (await import("./packed-text.ts")).packedText(bytes);
  if (format === "folder") return (await import("./folder-text.ts")).folderText(bytes);
  if (format === "html" || format === "xml") {
    const { declaredEncoding, markupText } = await import("./markup-text.ts");
    return markupText(decodeText(bytes, declaredEncoding(bytes))?.text ?? "", format);
  }
  const text = decodeText(bytes)?.text;
  if (text === undefined) return "";
  if (format === "rtf") return (await import("./rtf-text.ts")).rtfText(text);
  const { subtitleText, markdownText } = await import("./plain-text.ts");
  switch (format) {
    case "subtitles":
      return subtitleText(text);
    case "markdown":
      return markdownText(text);
    case "plain":
      return text;
  }
}
