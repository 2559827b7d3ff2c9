/**
 * One SELECT of a stranger over the view `metadata`. Called by the metadata index; calls the tokenizer.
 *
 * Names go to SQLite encoded, so that keys which differ in case alone stay apart, and come back decoded in the names
 * of the columns and in messages.
 */
import { VxError } from "../errors.ts";
import type { Database } from "../sql/database.ts";
import { isEndName } from "../sql/end-name.ts";
import type { Guard } from "../sql/guard.ts";
import { encodeName, quoteName } from "../sql/names.ts";
import type { Statement } from "../sql/statement.ts";
import { explainSyntax } from "../sql/syntax.ts";
import { type Token, tokenize } from "../sql/tokens.ts";
import { isWord, typeNames } from "../sql/type-names.ts";
import { expressionWords, queryFunctions, reservedWords, selectWords } from "../sql/words.ts";
import { refuseJoinedConditions } from "./joined-conditions.ts";
import { MAX_QUERY_BYTES, MAX_QUERY_ROWS, MAX_SQL_SELECTS } from "./limits.ts";
import type { FirstRows, Row, SqlValue } from "./metadata-index.ts";
import { selectsAndJoins } from "./query-size.ts";
import { VIEW } from "./view.ts";

interface CompiledQuery {
  tokens: Token[];
  sql: string;
  /** Names by their encoding. */
  names: Map<string, string>;
  /** Names as they were written, by how they went into the SQL. */
  spellings: Map<string, string>;
}

/** @throws VxError `invalid_query` */
export function runQuery(
  database: Database,
  guard: Guard,
  sql: string,
  viewNames: ReadonlyMap<string, string>,
): FirstRows {
  const query = compileQuery(sql);
  try {
    return guard.run(false, () => {
      const statement = database.prepare(query.sql);
      try {
        if (!statement.isReadOnly) throw new VxError("invalid_query", "A query reads, and changes nothing");
        return readRows(statement, columnNames(statement, query, viewNames));
      } finally {
        statement.finalize();
      }
    }).result;
  } catch (error) {
    if (!(error instanceof VxError) || error.code !== "invalid_query") throw error;
    throw new VxError("invalid_query", readableError(error.message, query, viewNames), { cause: error });
  }
}

function compileQuery(sql: string): CompiledQuery {
  const tokens = tokenize(sql);
  while (tokens.at(-1)?.kind === "end") tokens.pop();
  const [first] = tokens;
  if (first?.kind !== "word" || !/^(?:select|with)$/i.test(first.source)) {
    throw new VxError("invalid_query", "A query is one SELECT");
  }
  if (selectsAndJoins(tokens) > MAX_SQL_SELECTS) {
    throw new VxError("invalid_query", `A query has ${MAX_SQL_SELECTS} SELECTs and joined tables at most`);
  }
  const names = new Map<string, string>();
  const spellings = new Map<string, string>();
  const places: number[] = [];
  const types = typeNames(tokens);
  let compiled = "";
  for (const [i, token] of tokens.entries()) {
    if (token.kind === "end") throw new VxError("invalid_query", "One statement is taken at a time");
    compiled += token.space || (i > 0 ? separator(tokens[i - 1] as Token, token) : "");
    if (types.has(token) || !isName(token, i, tokens)) {
      if (isEndName(tokens, i)) places.push(i);
      compiled += token.source;
      continue;
    }
    places.push(i);
    const name = isViewWord(token) ? VIEW : token.text;
    const encoded = encodeName(name);
    names.set(encoded, name);
    const written = encoded === token.source ? encoded : quoteName(encoded);
    if (!spellings.has(written)) spellings.set(written, token.source);
    compiled += written;
  }
  refuseJoinedConditions(tokens, places, false);
  return { tokens, sql: compiled, names, spellings };
}

/** Tokens that stood together stay together, unless the quotes of a name would join a string's. */
function separator(before: Token, token: Token): string {
  return before.kind === "word" &&
    token.kind !== "open" &&
    token.kind !== "operator" &&
    token.kind !== "close"
    ? " "
    : "";
}

function isViewWord(token: Token): boolean {
  return token.kind === "word" && token.source.toLowerCase() === VIEW;
}

/** Whether a token names a table, a column or a result. */
function isName(token: Token, at: number, tokens: Token[]): boolean {
  const before = tokens[at - 1];
  if (token.kind === "quoted") return true;
  // AS 'name' is SQLite's.
  if (token.kind === "string") return isWord(before, "as");
  if (token.kind !== "word") return false;
  if (before?.source === ".") return true;
  const word = token.source.toLowerCase();
  if (reservedWords.has(word) || selectWords.has(word) || expressionWords.has(word)) return false;
  if (isWord(before, "collate")) return false;
  return tokens[at + 1]?.kind !== "open" || !queryFunctions.has(word);
}

function columnNames(
  statement: Statement,
  query: CompiledQuery,
  viewNames: ReadonlyMap<string, string>,
): string[] {
  const taken = new Set<string>();
  return Array.from({ length: statement.columnCount }, (_, column) => {
    const given = statement.columnName(column);
    const name = query.names.get(given) ?? viewNames.get(given) ?? readable(given, query);
    let free = name;
    for (let i = 1; taken.has(free); i++) free = `${name}:${i}`;
    taken.add(free);
    return free;
  });
}

/** With every name as it was written. */
function readable(text: string, { names, spellings }: CompiledQuery): string {
  return text
    .replace(/"(?:[^"]|"")+"/g, (quoted) => spellings.get(quoted) ?? quoted)
    .replace(/[\w^]+/g, (name) => names.get(name) ?? name);
}

/** What SQLite says, with advice for the quotes and letters that were written in place of its own for ours. */
function readableError(
  message: string,
  query: CompiledQuery,
  viewNames: ReadonlyMap<string, string>,
): string {
  const [error = message] = message.split(" - should this be");
  const quotes = /^no such column: (.*)$|^near "(".*")": /s.exec(error);
  const [, column, near] = quotes ?? [];
  if (column !== undefined) {
    const name = readable(column, query);
    return `no such column: ${name}${adviceOn(name, viewNames)}`;
  }
  if (/^no such table: /.test(error)) return `${readable(error, query)} (there is one, metadata)`;
  const said = near === undefined ? readable(error, query) : `near ${readable(near, query)}: syntax error`;
  return explainSyntax(said, query.tokens, "query");
}

/** SQL in general takes texts in double quotes, and names in any case. */
function adviceOn(column: string, viewNames: ReadonlyMap<string, string>): string {
  if (column.startsWith('"')) return " (a text stands in single quotes)";
  const there = ["id", "json", ...viewNames.values()];
  const lower = column.toLowerCase();
  // SQLite takes such a word as it is written, for one with small letters.
  if (there.includes(column) && selectWords.has(lower) && column !== lower)
    return " (a key of that name needs quotes)";
  if (there.includes(column)) return " (the table metadata has it, which is not read here)";
  const meant = there.find((name) => name.toLowerCase() === lower);
  if (meant !== undefined) return ` (there is ${meant})`;
  const [name = "", object = ""] = column.split(".").reverse();
  if (!there.includes(object)) return "";
  return ` (a value within one is ${/^\w+$/.test(object) ? object : quoteName(object)} ->> '${name}')`;
}

function readRows(statement: Statement, columns: string[]): FirstRows {
  const rows: Row[] = [];
  // Each row of an answer names its columns.
  const namesBytes = columns.reduce((sum, name) => sum + name.length, 0);
  let bytes = 0;
  while (statement.step()) {
    if (rows.length === MAX_QUERY_ROWS) return { rows, truncated: true };
    bytes += namesBytes;
    const values = columns.map((name, column): [string, SqlValue] => {
      const value = statement.value(column);
      if (value === undefined) throw new VxError("invalid_query", `${name} is a blob: take hex() of it`);
      bytes += typeof value === "string" ? value.length : 8;
      return [name, value];
    });
    if (bytes > MAX_QUERY_BYTES)
      throw new VxError("invalid_query", `The rows are over ${MAX_QUERY_BYTES} bytes`);
    // Makes a property of every name, __proto__ too.
    rows.push(Object.fromEntries(values));
  }
  return { rows, truncated: false };
}
