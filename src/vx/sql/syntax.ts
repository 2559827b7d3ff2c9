/**
 * What is wrong with a stranger's SQL, in words of the SQL that was written: of what is missing SQLite says only what
 * it came upon instead, which may be a parenthesis that nobody wrote. Called by filters and queries that SQLite has
 * refused, so that nothing is refused here.
 */
import { isEndName } from "./end-name.ts";
import type { Token } from "./tokens.ts";
import { reservedWords } from "./words.ts";

/** Words that something must follow. */
const opening = new Set(
  `and as between by case collate distinct else escape from glob having in is like limit match not offset on or regexp select set
  then union using values when where with`.split(/\s+/),
);

/** Words between what is compared. */
const comparing = new Set(["between", "glob", "in", "is", "isnull", "like", "notnull"]);

/** Operators of other languages, as the tokens that they are here. */
const foreignOperators = new Map([
  ["&&", "AND"],
  ["!==", "<>"],
  ["===", "="],
  ["=<", "<="],
  ["=>", ">="],
  ["<=>", "IS"],
]);

const PATTERNS = "LIKE and GLOB compare with a pattern";

const CONTAINS = "json_array_contains(key, value) looks into an array, instr(key, text) into a text";
const NO_JSON = "a text is looked into that is none (iif(json_valid(key), key, NULL) leaves such out)";
const LENGTH = "json_array_length(key) counts an array's elements, length(key) a text's characters";

/** Words and functions of other dialects. */
const foreignWords = new Map([
  ["any", CONTAINS],
  ["array_contains", CONTAINS],
  ["array_has", CONTAINS],
  ["array_length", LENGTH],
  ["cardinality", LENGTH],
  ["contains", CONTAINS],
  ["fetch", "LIMIT stands at the end"],
  ["ilike", "LIKE takes letters of both cases for one"],
  ["len", LENGTH],
  ["list_contains", CONTAINS],
  ["match", PATTERNS],
  ["now", "datetime('now') is now, in UTC"],
  ["regexp", PATTERNS],
  ["regexp_like", PATTERNS],
  ["regexp_match", PATTERNS],
  ["rlike", PATTERNS],
  ["similar", PATTERNS],
  ["starts_with", PATTERNS],
  ["top", "LIMIT stands at the end"],
]);

/** A syntax error near a token, as it was written. */
export function syntaxError(source: string): string {
  return `near ${source}: syntax error${source.startsWith("[") ? ` (${pathAdvice(source)})` : adviceOn(source)}`;
}

/** What to write in place of a word or function of another dialect, to stand behind its refusal. */
export function adviceOn(word: string): string {
  const advice = foreignWords.get(word.toLowerCase());
  return advice === undefined ? "" : ` (${advice})`;
}

/** Says more than SQLite's message, where it is one of syntax. `what`: the filter or the query. */
export function explainSyntax(message: string, tokens: readonly Token[], what: string): string {
  const pattern = / function: (MATCH|REGEXP)$/i.exec(message)?.[1];
  if (pattern !== undefined) return `There is no ${pattern} here: ${PATTERNS}`;
  if (message === "row value misused") return `${message} (AND joins conditions, not a comma)`;
  if (message === "malformed JSON") return `${message}: ${NO_JSON}`;
  const near = /^near "?(.*?)"?: syntax error/s.exec(message)?.[1];
  if (near === undefined && message !== "incomplete input") return message;
  const reason = foreignOperator(tokens) ?? unfinishedPart(tokens);
  if (reason !== undefined) return reason;
  const last = tokens.at(-1);
  const isOver = near === undefined || (near === ")" && tokens.every(({ kind }) => kind !== "close"));
  if (last !== undefined && (isOver || awaitsValue(tokens, tokens.length - 1)))
    return `The ${what} ends too soon, after ${last.source}`;
  const source = near as string;
  if (foreignWords.has(source.toLowerCase())) return syntaxError(source);
  return isCompared(source, tokens)
    ? `near ${source}: syntax error (a key of that name needs quotes)`
    : message;
}

/** Whether a word of SQL stands where a key would, before what compares it and is no sign of a value. */
function isCompared(source: string, tokens: readonly Token[]): boolean {
  return (
    reservedWords.has(source.toLowerCase()) &&
    tokens.some((token, i) => token.source === source && compares(tokens, i + 1))
  );
}

function compares(tokens: readonly Token[], at: number): boolean {
  const word = wordAt(tokens, at);
  if (word !== undefined) return comparing.has((word === "not" && wordAt(tokens, at + 1)) || word);
  const token = tokens[at];
  return token?.kind === "operator" && !["-", "+", "~"].includes(token.source);
}

function pathAdvice(source: string): string {
  return `a value within one is key ->> ${source.slice(1, -1)}`;
}

function foreignOperator(tokens: readonly Token[]): string | undefined {
  for (const [i, { kind, source, space }] of tokens.entries()) {
    const before = tokens[i - 1];
    if (kind !== "operator" || before?.kind !== "operator" || space !== "") continue;
    const written = before.source + source;
    const meant = foreignOperators.get(written);
    if (meant !== undefined) return `There is no ${written} here: it is ${meant}`;
  }
  return undefined;
}

/** What stands within parentheses, or a CASE up to its END. */
interface Part {
  isCase: boolean;
  /** BETWEENs whose AND is to come. */
  betweens: number;
  /** What must follow before it ends. */
  missing?: string | undefined;
}

/** The first part that ends before it is whole. */
function unfinishedPart(tokens: readonly Token[]): string | undefined {
  const parts: Part[] = [{ isCase: false, betweens: 0 }];
  for (const [i, token] of tokens.entries()) {
    const part = parts.at(-1) as Part;
    const word = wordAt(tokens, i);
    if (token.kind === "close" || (word === "end" && part.isCase && !isEndName(tokens, i))) {
      const reason = lacking(part, tokens, i) ?? missingBefore(tokens, i);
      if (reason !== undefined) return reason;
      parts.pop();
    } else if (token.kind === "open") {
      const missing = wordAt(tokens, i - 1) === "cast" ? "CAST lacks its AS and a type" : undefined;
      parts.push({ isCase: false, betweens: 0, missing });
    } else if (word === "case") parts.push({ isCase: true, betweens: 0, missing: "CASE lacks its WHEN" });
    else if (word === "when" && part.isCase) part.missing = "WHEN lacks its THEN";
    else if (word === "then" || word === "as") part.missing = undefined;
    else if (word === "between") part.betweens += 1;
    else if (word === "and" && part.betweens > 0) part.betweens -= 1;
  }
  const end = tokens.length;
  return awaitsValue(tokens, end - 1) ? undefined : lacking(parts.at(-1) as Part, tokens, end);
}

/** What a part lacks that ends with the token at `at`, or with the last one. */
function lacking(
  { isCase, betweens, missing }: Part,
  tokens: readonly Token[],
  at: number,
): string | undefined {
  if (betweens > 0) return "BETWEEN takes two values, with AND between them";
  if (missing !== undefined || !isCase || wordAt(tokens, at) === "end") return missing;
  // An END that a value is missing before is a name, so that its CASE has none.
  const reason = isEndName(tokens, at - 1) ? missingBefore(tokens, at - 1) : undefined;
  return reason ?? "CASE lacks its END";
}

/** What a parenthesis or an END comes too soon for. */
function missingBefore(tokens: readonly Token[], at: number): string | undefined {
  const before = tokens[at - 1];
  if (before?.kind === "open") {
    const word = wordAt(tokens, at - 2);
    return word === undefined || (opening.has(word) && word !== "in")
      ? "Parentheses hold nothing"
      : undefined;
  }
  if (before === undefined || !awaitsValue(tokens, at - 1)) return undefined;
  return `Something is missing between ${before.source} and ${tokens[at]?.source}`;
}

function awaitsValue(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.kind === "operator" || opening.has(wordAt(tokens, at) ?? "");
}

/** A word in lower case, unless it names what is behind a dot. */
function wordAt(tokens: readonly Token[], at: number): string | undefined {
  const token = tokens[at];
  if (token?.kind !== "word" || tokens[at - 1]?.source === ".") return undefined;
  return token.source.toLowerCase();
}
