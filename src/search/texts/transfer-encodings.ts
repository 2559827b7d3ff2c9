/**
 * Text that was made to fit seven bits, as mail and old address books have it. Used by mail-text and content-lines;
 * calls decoding. Sources: RFC 2045 (quoted-printable, base64), RFC 2047 (words of headers).
 */
import { decoderFor, decodeText } from "./decoding.ts";

const WORD = /=\?([\w.:-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?]*)\?=(?:\s+(?==\?))?/gi;

/** One character a byte, and back. */
export function binaryString(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) {
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE_BYTES));
  }
  return text;
}

/** Arguments that a call takes everywhere. */
const PIECE_BYTES = 8192;

export function bytesOf(binary: string): Uint8Array {
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** The bytes of a body that is encoded so. */
export function bodyBytes(body: string, encoding: string): Uint8Array {
  if (/^base64$/i.test(encoding)) return unBase64(body);
  return bytesOf(/^quoted-printable$/i.test(encoding) ? unquoted(body) : body);
}

export function unquotedPrintable(text: string, charset: string): string {
  return inCharset(bytesOf(unquoted(text)), charset);
}

/** The value of a header: encoded words, or bytes as they are. */
export function headerText(binary: string): string {
  const words = binary.replace(WORD, (_word, charset: string, encoding: string, text: string) => {
    const bytes = /b/i.test(encoding) ? unBase64(text) : bytesOf(unquoted(text.replaceAll("_", " ")));
    // As bytes once more, beside those of the rest.
    return binaryString(new TextEncoder().encode(inCharset(bytes, charset)));
  });
  return inCharset(bytesOf(words), "");
}

/** The text of bytes that say they are in the charset; empty where they are no text. */
export function inCharset(bytes: Uint8Array, charset: string): string {
  return decodeText(bytes, charset)?.text ?? decoderFor(charset).decode(bytes);
}

function unquoted(text: string): string {
  return text
    .replace(/=[ \t]*\r?\n/g, "")
    .replace(/=([0-9a-f]{2})/gi, (_whole, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** What is no letter of it is passed over, as the RFC asks. */
function unBase64(text: string): Uint8Array {
  const letters = text.replace(/[^A-Za-z0-9+/]/g, "");
  // One letter alone is no byte.
  return bytesOf(atob(letters.length % 4 === 1 ? letters.slice(0, -1) : letters));
}
