/**
 * SQLite's text functions whose work grows as pattern times text, with a limit to that: SQLite looks at its clock
 * between functions, never within one. Added by the metadata index to its database; each means what SQLite's does.
 * Source: https://sqlite.org/lang_corefunc.html
 */
import { FunctionCall, ValueType } from "./arguments.ts";
import { type Database, TOO_LONG } from "./database.ts";
import type { Pointer } from "./engine.ts";
import { CLOCK_MATCH_WORK, MAX_MATCH_WORK } from "./limits.ts";

const WILDCARD_CODES = new Set(["%", "_"].map((char) => char.charCodeAt(0)));
const BACKSLASH_CODE = "\\".charCodeAt(0);
const encoder = new TextEncoder();

export function addTextFunctions(database: Database): void {
  const { exports } = database.engine;
  const call = new FunctionCall(database);

  const add = (name: string, argumentCount: number, run: () => undefined) =>
    database.addFunction(name, argumentCount, (context, count, values) => {
      call.open(context, count, values);
      return run();
    });

  /** For functions of which any NULL makes a NULL. */
  const addStrict = (name: string, argumentCount: number, run: () => undefined) =>
    add(name, argumentCount, () => (call.hasNull ? call.giveNull() : run()));

  /** False if the function failed for it. */
  const mayMatch = (pattern: number, text: number) => {
    call.address(pattern);
    call.address(text);
    const work = (call.sizeBytes(pattern) + 1) * (call.sizeBytes(text) + 1);
    if (work > MAX_MATCH_WORK) call.fail("The pattern and the text are too long");
    else if (work > CLOCK_MATCH_WORK && performance.now() > database.deadlineMs) call.fail(TOO_LONG);
    else return true;
    return false;
  };

  const like = (escapeCode: number) => {
    if (call.type(0) === ValueType.null || call.type(1) === ValueType.null) return call.giveNull();
    if (!mayMatch(0, 1)) return;
    const giveMatch = (pattern: Pointer, code: number) =>
      call.giveInteger(exports.sqlite3_strlike(pattern, call.address(1), code) === 0 ? 1 : 0);
    // SQLite's operator takes an escape before a wildcard, this export of it the other way round.
    if (!WILDCARD_CODES.has(escapeCode)) return giveMatch(call.address(0), escapeCode);
    const pattern = escapedByBackslash(call.text(0), String.fromCodePoint(escapeCode));
    return call.withEncoded(encoder.encode(pattern), (address) => giveMatch(address, BACKSLASH_CODE));
  };
  add("like", 2, () => like(0));
  add("like", 3, () => {
    if (call.type(2) === ValueType.null) return call.giveNull();
    const [char, ...more] = call.text(2);
    const code = more.length === 0 ? char?.codePointAt(0) : undefined;
    return code === undefined ? call.fail("ESCAPE expression must be a single character") : like(code);
  });

  addStrict("glob", 2, () => {
    if (!mayMatch(0, 1)) return;
    return call.giveInteger(exports.sqlite3_strglob(call.address(0), call.address(1)) === 0 ? 1 : 0);
  });

  addStrict("instr", 2, () => {
    if (!mayMatch(1, 0)) return;
    return call.giveInteger(characterOf(call, 0, 1));
  });

  add("replace", 3, () => {
    if (call.type(0) === ValueType.null || call.type(1) === ValueType.null) return call.giveNull();
    if (call.text(1) === "") return call.giveText(call.text(0));
    if (call.type(2) === ValueType.null) return call.giveNull();
    if (!mayMatch(1, 0)) return;
    const [text, pattern, replacement] = [call.text(0), call.text(1), call.text(2)];
    const pieces = text.split(pattern);
    const chars = text.length + (pieces.length - 1) * (replacement.length - pattern.length);
    if (chars > database.limitLength(-1)) return call.fail("string or blob too big");
    return call.giveText(pieces.join(replacement));
  });

  for (const [name, atStart, atEnd] of [
    ["trim", true, true],
    ["ltrim", true, false],
    ["rtrim", false, true],
  ] as const) {
    const trim = () => {
      if (call.count === 2 && !mayMatch(1, 0)) return;
      const unwanted = new Set(call.count === 2 ? call.text(1) : " ");
      const chars = [...call.text(0)];
      let start = 0;
      let end = chars.length;
      while (atStart && start < end && unwanted.has(chars[start] as string)) start += 1;
      while (atEnd && end > start && unwanted.has(chars[end - 1] as string)) end -= 1;
      return call.giveText(chars.slice(start, end).join(""));
    };
    addStrict(name, 1, trim);
    addStrict(name, 2, trim);
  }
}

/** A pattern of LIKE with a backslash for its escape character. */
function escapedByBackslash(pattern: string, ownEscape: string): string {
  const chars = [...pattern];
  let escaped = "";
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string;
    if (char === ownEscape) escaped += `\\${chars[++i] ?? ""}`;
    else escaped += char === "\\" ? "\\\\" : char;
  }
  return escaped;
}

/** Which character of a text another begins at: 1 is the first, and 0 is none. Without decoding either. */
function characterOf(call: FunctionCall, text: number, wanted: number): number {
  const start = call.address(text);
  const end = start + call.sizeBytes(text);
  const wantedStart = call.address(wanted);
  const wantedBytes = call.sizeBytes(wanted);
  const { bytes } = call;
  let character = 1;
  for (let at = start; at + wantedBytes <= end; at++) {
    // A character's bytes after its first begin with the bits 10.
    if (at > start && ((bytes[at] as number) & 0xc0) !== 0x80) character += 1;
    let i = 0;
    while (i < wantedBytes && bytes[at + i] === bytes[wantedStart + i]) i += 1;
    if (i === wantedBytes) return character;
  }
  return 0;
}
