/**
 * Tables and records as text files: words stand apart where only a sign parts them, and characters that were escaped
 * are themselves, so that a line without spaces is not taken for data. Called by read-text. Sources: RFC 4180 (CSV),
 * RFC 8259 (JSON).
 */

/** Signs between columns, and what is shown for them. */
const COLUMNS: Record<string, string> = { ",": ", ", ";": "; ", "\t": " ", "|": " | " };

/** The sign between columns is the one that the first line has most of: a comma may stand within numbers. */
export function csvText(text: string): string {
  const [header = ""] = text.split("\n", 1);
  const count = (sign: string) => header.split(sign).length;
  const sign = Object.keys(COLUMNS).reduce((most, other) => (count(other) > count(most) ? other : most));
  const plain = text.replaceAll('"', "");
  return count(sign) > 1 ? plain.replaceAll(sign, COLUMNS[sign] ?? " ") : plain;
}

/** A string, or to the end of what is cut within one; brackets; signs. */
const JSON_PART = /"((?:[^"\\]|\\.)*)(?:"|\\?$)|[{}[\]]+|[,:]/gs;

const ESCAPED = /\\(?:u([0-9a-f]{4})|(.))/gis;

const WHITE = new Set(["b", "f", "n", "r", "t"]);

/** Also of lines that are each a record. */
export function jsonText(text: string): string {
  return text.replace(JSON_PART, (part, string?: string) => {
    if (string !== undefined) return string.replace(ESCAPED, unescaped);
    return part === "," || part === ":" ? `${part} ` : " ";
  });
}

function unescaped(_whole: string, hex: string | undefined, sign: string | undefined): string {
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
  return sign === undefined || WHITE.has(sign) ? " " : sign;
}
