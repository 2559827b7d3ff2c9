/**
 * Whether a key stands where SQL has a place for one. Called by the compiler of filters: SQLite would complain of what
 * stands for the key there, which nobody wrote.
 */
import { VxError } from "../errors.ts";
import { syntaxError } from "../sql/syntax.ts";
import type { Token } from "../sql/tokens.ts";
import { isWord } from "../sql/type-names.ts";
import { expressionWords } from "../sql/words.ts";

/** Words that are values themselves, or end one. */
const valueWords = new Set([
  "current_date",
  "current_time",
  "current_timestamp",
  "end",
  "false",
  "null",
  "true",
]);

/** Words that may stand behind a value and leave it one, or wait for the word that goes on. */
const neutralWords = new Set(["isnull", "not", "notnull"]);

/** Whether a value ends with this token, which is no key; `before`: whether one ended before it. */
export function endsValue({ kind, source }: Token, before: boolean): boolean {
  if (kind !== "word") return kind !== "open" && kind !== "operator";
  const word = source.toLowerCase();
  if (neutralWords.has(word)) return before;
  return valueWords.has(word) || !expressionWords.has(word);
}

/** `before`: whether a value ended before the key. @throws VxError `invalid_query` */
export function checkKeyPlace(tokens: readonly Token[], at: number, before: boolean): void {
  checkNoName(tokens, at);
  if (before) throw new VxError("invalid_query", syntaxError((tokens[at] as Token).source));
}

/** SQLite would take for a table's name what stands right behind IN, a text too. @throws VxError `invalid_query` */
export function checkNoName(tokens: readonly Token[], at: number): void {
  if (isWord(tokens[at - 1], "in"))
    throw new VxError("invalid_query", `IN takes a list in parentheses, not ${tokens[at]?.source}`);
}

/** What a path such as `author.name` is refused with. */
export function noPath(tokens: readonly Token[], at: number): VxError {
  const [object, name] = [tokens[at - 1]?.text ?? "", tokens[at + 1]?.text ?? ""];
  return new VxError(
    "invalid_query",
    `${object}.${name} is no key: a value within one is ${object} ->> '${name}', and a key with a dot needs quotes`,
  );
}
