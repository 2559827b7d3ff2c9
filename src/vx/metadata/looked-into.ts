/**
 * Keys that a filter looks into, as `author ->> 'name'` does. Called by the compiler of filters: SQLite refuses to look into
 * a text that is no JSON, and so one record whose author is a text would make all such filters fail for everybody.
 */
import type { Token } from "../sql/tokens.ts";
import { isTable } from "./filter-keys.ts";

const looking = new Set(["json_array_length", "json_extract", "json_type"]);

/** JSON5, too, which SQLite looks into as well. */
const JSON_TEXT = 2;

/** Whether the key before an arrow, or the first argument of a function that looks into it. */
export function isLookedInto(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.source;
  if (next === "->" || next === "->>") return true;
  const first = isTable(tokens, at - 2) ? at - 2 : at;
  return tokens[first - 1]?.kind === "open" && looking.has(tokens[first - 2]?.source.toLowerCase() ?? "");
}

/** A key's value, or NULL where there is nothing to look into. */
export function jsonOf(value: string): string {
  return `iif(json_valid(${value}, ${JSON_TEXT}), ${value}, NULL)`;
}
