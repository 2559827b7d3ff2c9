/**
 * The words of documents that are ZIP archives of XML: Office Open XML (ECMA-376), OpenDocument (OASIS), EPUB (W3C); of
 * any other archive, the names in it. Called by read-text; calls fflate, which unpacks from the front as bytes come, so
 * that a bomb is left after the bytes that are allowed, and an archive cut short gives what it has.
 */
import { Unzip, UnzipInflate, UnzipPassThrough } from "fflate";
import { decodeText } from "./decoding.ts";
import { MAX_LISTED_NAMES, MAX_PARTS, MAX_TEXT_CHARS, MAX_UNPACKED_BYTES, UNPACK_BYTES } from "./limits.ts";
import { markupText } from "./markup-text.ts";

/** Parts that hold what people read; titles and the like come first. */
const READ_PARTS = [
  /^docProps\/core\.xml$/,
  /^meta\.xml$/,
  /\.opf$/,
  /^xl\/workbook\.xml$/,
  /^word\/document\.xml$/,
  /^ppt\/slides\/slide\d+\.xml$/,
  /^xl\/sharedStrings\.xml$/,
  /^content\.xml$/,
  /\.x?html?$/,
];

/** What archives have that are documents. The list of types may come last, behind what is left unread. */
const SIGN =
  /^(\[Content_Types\]\.xml|mimetype|word\/document\.xml|ppt\/presentation\.xml|xl\/workbook\.xml)$/;

interface Part {
  name: string;
  bytes: Uint8Array[];
}

export function packedText(archive: Uint8Array): string {
  const { parts, names } = unpack(archive);
  if (!names.some((name) => SIGN.test(name))) return names.slice(0, MAX_LISTED_NAMES).join(" ");
  let text = "";
  for (const part of parts.sort(inReadingOrder)) {
    if (text.length >= MAX_TEXT_CHARS * 2) break;
    const markup = decodeText(joined(part.bytes))?.text ?? "";
    text += ` ${markupText(markup, /html?$/.test(part.name) ? "html" : "xml")}`;
  }
  return text;
}

/** What can be unpacked of the parts that are read, and the names of all. */
function unpack(archive: Uint8Array): { parts: Part[]; names: string[] } {
  const parts: Part[] = [];
  const names: string[] = [];
  let roomBytes = MAX_UNPACKED_BYTES;
  let isOver = false;
  const unzip = new Unzip((file) => {
    names.push(file.name);
    if (names.length >= MAX_PARTS) isOver = true;
    if (rankOf(file.name) < 0) return;
    const part: Part = { name: file.name, bytes: [] };
    parts.push(part);
    file.ondata = (error, bytes) => {
      if (error !== null || bytes.byteLength > roomBytes) {
        isOver = true;
        return;
      }
      roomBytes -= bytes.byteLength;
      part.bytes.push(bytes);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  unzip.register(UnzipPassThrough);
  try {
    for (let at = 0; at < archive.byteLength && !isOver; at += UNPACK_BYTES) {
      unzip.push(archive.subarray(at, at + UNPACK_BYTES), at + UNPACK_BYTES >= archive.byteLength);
    }
  } catch {
    // Damaged or of a kind that is not known: what came before counts.
  }
  return { parts, names };
}

function rankOf(name: string): number {
  return READ_PARTS.findIndex((pattern) => pattern.test(name));
}

/** By what they are, slides by their number, chapters as they stand in the archive. */
function inReadingOrder(a: Part, b: Part): number {
  return rankOf(a.name) - rankOf(b.name) || slideNumber(a.name) - slideNumber(b.name);
}

function slideNumber(name: string): number {
  return Number(/slide(\d{1,6})\.xml$/.exec(name)?.[1] ?? 0);
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
