/**
 * What people read of plain files whose lines carry more than that: subtitles without times, Markdown without addresses, RTF
 * without its control words. Called by read-text. Every pattern is linear in the length of a line.
 */

/** SubRip, WebVTT, SubStation Alpha and their kin: what is said, without numbers, times, styles and positions. */
export function subtitleText(text: string): string {
  return text
    .split(/\r?\n|\r/)
    .filter((line) => !/^\s*(\d+\s*$|[\d:.,]+\s*-->|WEBVTT|NOTE\b|STYLE\b|\[|Format:|Style:)/.test(line))
    .map((line) => line.replace(/^(Dialogue|Comment):(?:[^,]*,){9}/, ""))
    .map((line) =>
      line.replace(/<[^<>]{0,200}>|\{[^{}]{0,200}\}|\[\d\d:[\d.:]{0,12}\]/g, "").replaceAll("\\N", " "),
    )
    .join("\n");
}

export function markdownText(text: string): string {
  return text
    .replace(/\]\([^()\s]{0,2000}\)/g, "] ")
    .replace(/^[ \t]{0,3}(?:#{1,6}|>|[-*+]|```\w{0,20}|~~~)[ \t]*/gm, "")
    .replace(/[*_`[\]|]/g, " ");
}

/** Groups that hold tables, pictures and other data instead of text. */
const RTF_DATA =
  /^\\(?:\*|fonttbl|colortbl|stylesheet|info|pict|object|themedata|generator|listtable|rsidtbl)/;

/** RTF 1.9.1, as far as words go: groups with data are left out, escapes read, all else of the markup dropped. */
export function rtfText(source: string): string {
  let text = "";
  let depth = 0;
  /** Depth of the outermost group that is left out. */
  let dataDepth = Number.POSITIVE_INFINITY;
  const token =
    /\\u(-?\d{1,6}) ?\??|\\'([0-9a-f]{2})|\\([a-z]{1,32})(-?\d{1,10})? ?|\\([^a-z])|[{}]|[^\\{}]+/giy;
  for (let match = token.exec(source); match !== null; match = token.exec(source)) {
    const [whole, unicode, byte, word, , symbol] = match;
    if (whole === "{") {
      depth += 1;
      if (depth < dataDepth && RTF_DATA.test(source.slice(token.lastIndex, token.lastIndex + 16)))
        dataDepth = depth;
    } else if (whole === "}") {
      if (depth === dataDepth) dataDepth = Number.POSITIVE_INFINITY;
      depth -= 1;
    } else if (depth < dataDepth) {
      if (unicode !== undefined) text += String.fromCharCode(Number(unicode) & 0xffff);
      else if (byte !== undefined) text += String.fromCharCode(Number.parseInt(byte, 16));
      else if (word !== undefined) text += /^(par|line|tab|cell|row|sect|page)$/.test(word) ? " " : "";
      else if (symbol !== undefined) text += /[\\{}]/.test(symbol) ? symbol : symbol === "~" ? " " : "";
      else text += whole.replace(/[\r\n]/g, "");
    }
  }
  return text;
}
