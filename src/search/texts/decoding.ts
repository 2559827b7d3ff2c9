/**
 * Bytes of a text file in whatever encoding it is in: by its mark, as UTF-8, as UTF-16 without a mark, as the encoding that it
 * declares, or as the one that the frequencies of its bytes speak for. Called by read-text, the readers of markup and of RTF, and
 * browser/main for what the page shows of a text; calls chardet.
 */
import { detect } from "chardet";
import { GUESS_BYTES } from "./limits.ts";

/** Encodings whose bytes are hardly ever what they seem: short text is taken for them by chance. */
const SHY = /^(UTF-32|ISO-2022|IBM4|ISO-8859-8|ISO-8859-6)/;

/** Share of bytes that no text has (controls but for white space and escape) above which it is data. */
const MAX_CONTROL_SHARE = 0.02;

export interface DecodedText {
  readonly text: string;
  /** The encoding, where nothing but the frequencies of the bytes speaks for it. */
  readonly guessed: string | undefined;
}

/**
 * The text of the bytes, which may end within a character; undefined where they are no text. `declared`: the encoding that they
 * say they are in, which counts before their frequencies do.
 */
export function decodeText(bytes: Uint8Array, declared = ""): DecodedText | undefined {
  const marked = byMark(bytes);
  if (marked !== undefined) return { text: decode(bytes, marked).text, guessed: undefined };
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return decode(bytes, wide);
  if (isData(bytes)) return undefined;
  const told = decoderOf(declared);
  // All of its bytes are ASCII's, and valid UTF-8.
  if (told?.encoding === "iso-2022-jp")
    return { text: told.decode(bytes, { stream: true }), guessed: undefined };
  const text = decodeUtf8(bytes);
  if (text !== undefined) return { text, guessed: undefined };
  // What says that it is Unicode, and is not, may be anything.
  if (told === undefined || told.encoding.startsWith("utf-")) return decode(bytes, guess(bytes));
  return { text: told.decode(bytes, { stream: true }), guessed: undefined };
}

function byMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return undefined;
}

/** UTF-16 without a mark: nearly every other byte of most scripts' text is the same, for Latin letters 0. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, GUESS_BYTES & ~1);
  const pairs = sample.byteLength >> 1;
  if (pairs < 4) return undefined;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let at = 0; at + 1 < sample.byteLength; at += 2) {
    if (sample[at] === 0) evenZeros += 1;
    if (sample[at + 1] === 0) oddZeros += 1;
  }
  if (oddZeros > pairs * 0.7 && evenZeros < pairs * 0.05) return "utf-16le";
  if (evenZeros > pairs * 0.7 && oddZeros < pairs * 0.05) return "utf-16be";
  return undefined;
}

function isData(bytes: Uint8Array): boolean {
  const sample = bytes.subarray(0, GUESS_BYTES);
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 0x20 && (byte < 9 || byte > 13) && byte !== 0x1b) controls += 1;
  }
  return controls > sample.byteLength * MAX_CONTROL_SHARE;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    // As a stream, so that a character cut off at the end is left out.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function guess(bytes: Uint8Array): string {
  const name = detect(bytes.subarray(0, GUESS_BYTES));
  return name === null || SHY.test(name) ? "windows-1252" : name;
}

function decode(bytes: Uint8Array, encoding: string): DecodedText {
  const decoder = decoderFor(encoding);
  return { text: decoder.decode(bytes, { stream: true }), guessed: decoder.encoding };
}

/** Where an encoding is not known, that of the West. */
export function decoderFor(encoding: string): TextDecoder {
  return decoderOf(encoding) ?? new TextDecoder("windows-1252");
}

/** Undefined for what is no encoding's name. */
function decoderOf(encoding: string): TextDecoder | undefined {
  try {
    return new TextDecoder(encoding);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
