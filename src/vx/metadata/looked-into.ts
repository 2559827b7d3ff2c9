/**
 * Keys that a filter looks into, as `author ->> 'name'` does. Called by the compiler of filters: SQLite refuses to look into
 * a text that is no JSON, and so one record whose author is a text would make all such filters fail for everybody.
 */
import type { Token } from "../sql/tokens.ts";
import { expressionFunctions } from "../sql/words.ts";
import { isTable } from "./filter-keys.ts";

const looking = new Set(["json_array_length", "json_extract", "json_type"]);

/** JSON5, too, which SQLite looks into as well. */
const JSON_TEXT = 2;

/**
 * What stands behind a key that is looked into, also in parentheses of its own: an arrow, or what goes on or ends the arguments
 * of a function that looks into the first.
 */
export function lookAfter(tokens: readonly Token[], at: number): number | undefined {
  let [before, after] = [(isTable(tokens, at - 2) ? at - 2 : at) - 1, at + 1];
  while (tokens[before]?.kind === "open" && tokens[after]?.kind === "close" && !isListed(tokens, before)) {
    before -= 1;
    after += 1;
  }
  const next = tokens[after]?.source;
  const isArgument = tokens[before]?.kind === "open" && looking.has(wordAt(tokens, before - 1));
  return next === "->" || next === "->>" || isArgument ? after : undefined;
}

/** Whether what stands in these parentheses is a function's, or a list's that IN looks through. */
function isListed(tokens: readonly Token[], open: number): boolean {
  const word = wordAt(tokens, open - 1);
  return word === "in" || expressionFunctions.has(word);
}

function wordAt(tokens: readonly Token[], at: number): string {
  return tokens[at]?.source.toLowerCase() ?? "";
}

/** A key's value, or NULL where there is nothing to look into. */
export function jsonOf(value: string): string {
  return `iif(json_valid(${value}, ${JSON_TEXT}), ${value}, NULL)`;
}
