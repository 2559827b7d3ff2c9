/**
 * RTF 1.9.1, as far as words go: groups with data are left out, escapes read, all else of the markup dropped. Called by read-text.
 * A character of Unicode is followed by what older readers show for it, which is left out; bytes are in the document's code page.
 */
import { decoderFor } from "./decoding.ts";

/** Groups that hold tables, pictures and other data instead of text. */
const DATA = /^\\(?:\*|fonttbl|colortbl|stylesheet|info|pict|object|themedata|generator|listtable|rsidtbl)/;

/** Control words that part words. */
const BREAK = /^(par|line|tab|cell|row|sect|page)$/;

/** Windows' code pages whose encoding is not called `windows-` and their number. */
const ENCODINGS: Record<string, string> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  65001: "utf-8",
};

const TOKEN = /\\u(-?\d{1,6}) ?|\\'([0-9a-f]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\([^a-z])|[{}]|[^\\{}]+/giy;

export function rtfText(source: string): string {
  let text = "";
  let decoder = decoderFor("windows-1252");
  /** Escaped bytes in a row, of which several may be one character. */
  let bytes: number[] = [];
  /** Of each group that is open, how many characters stand for one of Unicode. */
  const standIns = [1];
  /** How many of those come next. */
  let leftOut = 0;
  /** How many groups are open in the outermost one that is left out. */
  let dataDepth = Number.POSITIVE_INFINITY;
  const write = (written: string) => {
    if (bytes.length > 0) text += decoder.decode(Uint8Array.from(bytes));
    bytes = [];
    text += written;
  };
  for (const match of source.matchAll(TOKEN)) {
    const [whole, unicode, byte, word, number, sign] = match;
    const isCharacter = byte !== undefined || sign !== undefined;
    const due = leftOut;
    leftOut = 0;
    if (whole === "{") {
      standIns.push(standIns.at(-1) ?? 1);
      const end = match.index + 1;
      if (standIns.length < dataDepth && DATA.test(source.slice(end, end + 16))) dataDepth = standIns.length;
    } else if (whole === "}") {
      if (standIns.length === dataDepth) dataDepth = Number.POSITIVE_INFINITY;
      if (standIns.length > 1) standIns.pop();
    } else if (standIns.length >= dataDepth) continue;
    else if (unicode !== undefined) {
      write(String.fromCharCode(Number(unicode) & 0xffff));
      leftOut = standIns.at(-1) ?? 1;
    } else if (isCharacter && due > 0) leftOut = due - 1;
    else if (byte !== undefined) bytes.push(Number.parseInt(byte, 16));
    else if (sign !== undefined) write(textOf(sign));
    else if (word === "uc") standIns[standIns.length - 1] = Math.max(0, Number(number ?? 1));
    else if (word === "ansicpg") decoder = decoderFor(ENCODINGS[number ?? ""] ?? `windows-${number}`);
    else if (word !== undefined) write(BREAK.test(word) ? " " : "");
    else {
      const plain = whole.replace(/[\r\n]/g, "");
      write(plain.slice(due));
      leftOut = Math.max(0, due - plain.length);
    }
  }
  write("");
  return text;
}

/** What an escaped sign stands for. */
function textOf(sign: string): string {
  if (/[\\{}]/.test(sign)) return sign;
  return sign === "~" ? " " : "";
}
