/**
 * RTF 1.9.1, as far as words go: groups with data are left out, escapes read, all else of the markup dropped. Called by
 * read-text; calls rtf-encodings. A character of Unicode is followed by what older readers show for it, which is left
 * out.
 */
import { RtfEncodings } from "./rtf-encodings.ts";

/** Groups that hold tables, pictures and other data instead of text. */
const DATA = /^\\(?:\*|fonttbl|colortbl|stylesheet|info|pict|object|themedata|generator|listtable|rsidtbl)/;

/** Control words that part words. */
const BREAK = /^(par|line|tab|cell|row|sect|page)$/;

const TOKEN = /\\u(-?\d{1,6}) ?|\\'([0-9a-f]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\([^a-z])|[{}]|[^\\{}]+/giy;

/** What holds until the group ends. */
interface Group {
  /** How many characters stand for one of Unicode. */
  standIns: number;
  /** Its number in the table of fonts. */
  font: string;
}

export function rtfText(source: string): string {
  let text = "";
  const encodings = new RtfEncodings();
  /** Escaped bytes in a row, of which several may be one character. */
  let bytes: number[] = [];
  let group: Group = { standIns: 1, font: "" };
  const outer: Group[] = [];
  let defaultFont = "";
  /** How many characters come next that stand for one of Unicode. */
  let leftOut = 0;
  /** How many groups are open in the outermost one that is left out. */
  let dataDepth = Number.POSITIVE_INFINITY;
  const write = (written: string) => {
    if (bytes.length > 0) text += encodings.of(group.font).decode(Uint8Array.from(bytes));
    bytes = [];
    text += written;
  };
  for (const match of source.matchAll(TOKEN)) {
    const [whole, unicode, byte, word, number = "", sign] = match;
    const isCharacter = byte !== undefined || sign !== undefined;
    const due = leftOut;
    leftOut = 0;
    if (whole === "{") {
      outer.push(group);
      group = { ...group };
      const end = match.index + 1;
      if (outer.length < dataDepth && DATA.test(source.slice(end, end + 16))) dataDepth = outer.length;
    } else if (whole === "}") {
      write("");
      if (outer.length === dataDepth) dataDepth = Number.POSITIVE_INFINITY;
      group = outer.pop() ?? group;
    } else if (outer.length >= dataDepth) encodings.describe(word ?? "", number);
    else if (unicode !== undefined) {
      write(String.fromCharCode(Number(unicode) & 0xffff));
      leftOut = group.standIns;
    } else if (isCharacter && due > 0) leftOut = due - 1;
    else if (byte !== undefined) bytes.push(Number.parseInt(byte, 16));
    else if (sign !== undefined) write(textOf(sign));
    else if (word !== undefined) {
      write(BREAK.test(word) ? " " : "");
      if (word === "uc") group.standIns = Math.max(0, Number(number || 1));
      else if (word === "ansicpg") encodings.setDocument(number);
      else if (word === "deff") group.font = defaultFont = number;
      else if (word === "f") group.font = number;
      else if (word === "plain") group.font = defaultFont;
    } else {
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
