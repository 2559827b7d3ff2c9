/**
 * A stranger's SQL as tokens, so that every name in it can be replaced before SQLite sees it. Called by the filter's
 * and the query's compilers.
 *
 * Takes what SQLite's own tokenizer takes (https://sqlite.org/lang_expr.html, tokenize.c), less what has no use here:
 * comments, parameters, statements after the first.
 */
import { VxError } from "../errors.ts";
import { MAX_SQL_CHARS, MAX_SQL_DEPTH } from "./limits.ts";

export type TokenKind =
  | "word"
  | "quoted"
  | "string"
  | "number"
  | "blob"
  | "operator"
  | "open"
  | "close"
  | "end";

export interface Token {
  kind: TokenKind;
  /** As it was written. */
  source: string;
  /** A word's or quoted name's name, a string's content, else the source. */
  text: string;
  /** White space before it, as it was written. */
  space: string;
}

/** One token at a time, in this order; the last takes anything, and is refused. */
const shapes: [TokenKind | "comment" | "variable" | "other", RegExp][] = [
  ["comment", /--|\/\*/y],
  ["blob", /[xX]'(?:[0-9a-fA-F]{2})*'/y],
  ["other", /[xX]'/y],
  ["word", /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ["string", /'[^']*(?:''[^']*)*'/y],
  ["quoted", /"[^"]*(?:""[^"]*)*"|`[^`]*(?:``[^`]*)*`|\[[^\]]*\]/y],
  ["number", /(?:0[xX][\da-fA-F]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w$.\u0080-\uffff])/y],
  ["variable", /[?:@#$]/y],
  ["open", /\(/y],
  ["close", /\)/y],
  ["end", /;/y],
  ["operator", /->>|->|\|\||<<|>>|<=|>=|<>|==|!=|[-+*/%&|~<>=,.]/y],
  ["other", /./sy],
];

/** @throws VxError `invalid_query` */
export function tokenize(sql: string): Token[] {
  if (sql.length > MAX_SQL_CHARS)
    throw new VxError("invalid_query", `SQL may have ${MAX_SQL_CHARS} characters`);
  const tokens: Token[] = [];
  const space = /[ \t\n\f\r]*/y;
  let at = 0;
  for (;;) {
    space.lastIndex = at;
    const before = space.exec(sql)?.[0] ?? "";
    at += before.length;
    if (at >= sql.length) break;
    const { kind, source } = tokenAt(sql, at);
    tokens.push({ kind, source, text: textOf(kind, source), space: before });
    at += source.length;
  }
  checkDepth(tokens);
  checkDates(tokens);
  return tokens;
}

function tokenAt(sql: string, at: number): { kind: TokenKind; source: string } {
  for (const [kind, shape] of shapes) {
    shape.lastIndex = at;
    const source = shape.exec(sql)?.[0];
    if (source === undefined) continue;
    if (kind === "comment") throw new VxError("invalid_query", "Comments have no place here");
    if (sql.startsWith("::", at))
      throw new VxError("invalid_query", "A type is told by CAST(value AS type), not by ::");
    if (kind === "variable") throw new VxError("invalid_query", `Parameters (${source}) have no values here`);
    // A key's name is written anew (sql/names); all else goes to SQLite, which would end at a NUL.
    if (kind === "other" || (kind !== "quoted" && source.includes("\0"))) break;
    return { kind, source };
  }
  const rest = sql.slice(at, at + 20).replaceAll("\0", "\\0");
  if (sql[at] === "'" && !sql.includes("'", at + 1))
    throw new VxError("invalid_query", `A text has no end: ${rest} (a quote within one is doubled, 'it''s')`);
  throw new VxError("invalid_query", `Not SQL, from here: ${rest}`);
}

function textOf(kind: TokenKind, source: string): string {
  if (kind !== "string" && kind !== "quoted") return source;
  const quote = source.at(-1) as string;
  const content = source.slice(1, -1);
  return quote === "]" ? content : content.replaceAll(quote + quote, quote);
}

/** Without quotes a date is a difference of three numbers, which all texts are greater than. */
function checkDates(tokens: Token[]): void {
  for (const [i, { source }] of tokens.entries()) {
    if (source !== "-" || i === 0) continue;
    const parts = tokens.slice(i - 1, i + 4);
    if (parts.slice(1).some(({ space }) => space !== "")) continue;
    const written = parts.map(({ source }) => source).join("");
    if (!/^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/.test(written)) continue;
    throw new VxError("invalid_query", `A date stands in quotes: '${written}' (a difference, with spaces)`);
  }
}

/** Parentheses must close what was opened: nothing gets out of those that are put around it. */
function checkDepth(tokens: Token[]): void {
  let depth = 0;
  for (const { kind } of tokens) {
    if (kind === "open") depth += 1;
    if (kind === "close") depth -= 1;
    if (depth > MAX_SQL_DEPTH)
      throw new VxError("invalid_query", `Parentheses nest ${MAX_SQL_DEPTH} deep at most`);
    if (depth < 0) break;
  }
  if (depth !== 0) throw new VxError("invalid_query", "Parentheses do not match");
}
