/**
 * Makes of a filter (one SQL expression over keys) SQL over our own tables. Called by the filter sets; calls the
 * tokenizer.
 *
 * Every word that is no word of an expression and no function's name is a key and is replaced: by its column, by a
 * look into the side table, or by NULL where no record has it. So no keyword of a statement ever reaches SQLite.
 */
import { VxError } from "../errors.ts";
import { quoteName } from "../sql/names.ts";
import { explainSyntax } from "../sql/syntax.ts";
import type { Token } from "../sql/tokens.ts";
import { typeNames } from "../sql/type-names.ts";
import { filterTokens, isKey, isTable } from "./filter-keys.ts";
import { checkKeyPlace, checkNoName, endsValue, noPath } from "./filter-places.ts";
import { refuseJoinedConditions } from "./joined-conditions.ts";
import type { Key, Keys } from "./keys.ts";
import { jsonOf, lookAfter } from "./looked-into.ts";
import { refuseMistaken } from "./mistaken-names.ts";
import { SIDE } from "./table.ts";

export interface CompiledFilter {
  /** An expression over the rows, to stand in parentheses. */
  where: string;
  /** Keys with a column that the filter compares with something: an index on them may help. */
  compared: Key[];
}

const comparing = new Set(["=", "==", "<", ">", "<=", ">=", "in", "between", "is", "and"]);

/** @throws VxError `invalid_query` */
export function compileFilter(expression: string, keys: Keys): CompiledFilter {
  const tokens = filterTokens(expression);
  if (tokens.length === 0) throw new VxError("invalid_query", "The filter is empty");
  const compared: Key[] = [];
  const names: number[] = [];
  let isOneMissing = false;
  const types = typeNames(tokens);
  let where = "";
  let isValueOver = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const previous = tokens[i - 1];
    const next = tokens[i + 1];
    where += " ";
    if (token.kind === "end") throw new VxError("invalid_query", "A filter is one expression, without ;");
    if (isTable(tokens, i)) {
      i += 1;
    } else if (isKey(tokens, i, types)) {
      checkKeyPlace(tokens, i, isValueOver);
      const key = keys.get(token.text);
      names.push(i);
      isOneMissing ||= key === undefined && token.text !== "id";
      const value = nameOf(token.text, key);
      where += lookAfter(tokens, i) === undefined ? value : jsonOf(value);
      if (key?.column !== undefined && (isComparing(previous) || isComparing(next))) compared.push(key);
      isValueOver = true;
    } else {
      if (token.source === "." && next !== undefined) throw noPath(tokens, i);
      if (token.kind === "string" || token.kind === "number") checkNoName(tokens, i);
      where += token.source;
      isValueOver = endsValue(token, isValueOver);
    }
  }
  refuseJoinedConditions(tokens, names, true);
  if (isOneMissing) refuseMistaken(tokens, names, keys);
  return { where, compared };
}

/** What SQLite has refused a filter with, in words of the filter. */
export function explainedRefusal(error: unknown, expression: string): unknown {
  if (!(error instanceof VxError) || error.code !== "invalid_query") return error;
  const tokens = filterTokens(expression);
  const word = /^no such column: (\w+)$/.exec(error.message)?.[1];
  const message =
    word === undefined
      ? explainSyntax(error.message, tokens, "filter")
      : `${word} is a word of SQL: a key of that name needs quotes`;
  return message === error.message ? error : new VxError("invalid_query", message, { cause: error });
}

/** A key's value in a row, as SQL. */
export function columnOf(key: Key | undefined): string {
  if (key === undefined) return "NULL";
  if (key.column !== undefined) return `r.c${key.column}`;
  // Without the plus `x IN (key)` would ask for rows, of which a record that lacks the key has none, instead of for NULL.
  return `+(SELECT s.value FROM ${quoteName(SIDE)} s WHERE s.key = ${key.number} AND s.slot = r.slot)`;
}

/** An id is compared with a text as the number in it; a key's value, of whatever type, as what it is. */
function nameOf(name: string, key: Key | undefined): string {
  return name === "id" ? "CAST(r.id AS NUMERIC)" : columnOf(key);
}

function isComparing(token: Token | undefined): boolean {
  return token !== undefined && comparing.has(token.source.toLowerCase());
}
