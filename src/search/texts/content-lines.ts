/**
 * What calendars and address books tell, without times, numbers of their programs and pictures. Called by read-text.
 * Sources: RFC 5545 (iCalendar), RFC 6350 and vCard 2.1, whose lines are quoted-printable, as Android writes them.
 */
import { unquotedPrintable } from "./transfer-encodings.ts";

/** Properties whose value is read. */
const READ = new Set([
  ...[
    "SUMMARY",
    "DESCRIPTION",
    "LOCATION",
    "COMMENT",
    "CATEGORIES",
    "CONTACT",
    "X-WR-CALNAME",
    "X-WR-CALDESC",
  ],
  ...["FN", "NICKNAME", "ORG", "TITLE", "ROLE", "NOTE", "ADR", "EMAIL", "TEL"],
]);

/** Properties that name a person beside an address. */
const PEOPLE = new Set(["ORGANIZER", "ATTENDEE"]);

export function contentLinesText(source: string): string {
  const read: string[] = [];
  let isAlarm = false;
  // Of version 2.1 alone: cards of later ones have a whole name.
  const hasWholeNames = /^FN[:;]/im.test(source);
  for (const line of unfolded(source)) {
    const { name, parameters, value } = parted(line);
    if (/^(?:BEGIN|END)$/.test(name) && /^VALARM$/i.test(value)) isAlarm = name === "BEGIN";
    else if (isAlarm) continue;
    else if (PEOPLE.has(name))
      read.push(/;CN=(?:"([^"]*)"|([^;]*))/i.exec(parameters)?.slice(1).join("") ?? "");
    else if (READ.has(name) || (name === "N" && !hasWholeNames)) read.push(plain(value, parameters));
  }
  return read.filter((text) => text !== "").join("\n");
}

/** Lines, those put together that were folded. */
function unfolded(source: string): string[] {
  const lines: string[] = [];
  let isSoft = false;
  for (const line of source.replace(/\r?\n[ \t]/g, "").split(/\r?\n|\r/)) {
    if (isSoft) lines.push(`${lines.pop()?.slice(0, -1)}${line}`);
    else lines.push(line);
    isSoft = line.endsWith("=") && /QUOTED-PRINTABLE/i.test(lines.at(-1) ?? "");
  }
  return lines;
}

/** The value begins behind the first colon that is not within quotes. */
function parted(line: string): { name: string; parameters: string; value: string } {
  const head = /^[^:"]*(?:"[^"]*"[^:"]*)*/.exec(line)?.[0] ?? "";
  const [name = "", ...parameters] = head.split(";");
  return {
    name: name.slice(name.lastIndexOf(".") + 1).toUpperCase(),
    parameters: parameters.map((parameter) => `;${parameter}`).join(""),
    value: line.slice(head.length + 1),
  };
}

function plain(value: string, parameters: string): string {
  const charset = /;CHARSET=([\w.:-]+)/i.exec(parameters)?.[1] ?? "utf-8";
  const text = /QUOTED-PRINTABLE/i.test(parameters) ? unquotedPrintable(value, charset) : value;
  return text
    .replace(/\\n/gi, "\n")
    .replace(/(?<!\\);/g, " ")
    .replace(/\\([\\,;])/g, "$1")
    .replace(/^(?:mailto|tel):/i, "")
    .trim();
}
