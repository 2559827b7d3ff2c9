/**
 * Whether `end` names a key, as of an event that has a start and an end: SQLite takes it for a name wherever a value is to come.
 * Called by the compiler of filters and by what explains a syntax error.
 */
import type { Token } from "./tokens.ts";
import { isWord } from "./type-names.ts";

/** Words that a value must follow. */
const awaiting = /^(?:and|between|case|else|escape|from|glob|in|is|like|not|or|then|when)$/i;

export function isEndName(tokens: readonly Token[], at: number): boolean {
  if (!isWord(tokens[at], "end")) return false;
  const before = tokens[at - 1];
  if (before === undefined || before.kind === "open" || before.kind === "operator") return true;
  return before.kind === "word" && awaiting.test(before.source) && tokens[at - 2]?.source !== ".";
}
