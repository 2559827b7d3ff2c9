/**
 * Which tokens of a filter name keys of the records: every word that is no word of an expression, no type and no function's
 * name, and all in quotes that are a name's. Called by the compiler of filters, and by whoever knows which keys there can be.
 */
import { VxError } from "../errors.ts";
import { isEndName } from "../sql/end-name.ts";
import { adviceOn } from "../sql/syntax.ts";
import { type Token, tokenize } from "../sql/tokens.ts";
import { isWord, typeNames } from "../sql/type-names.ts";
import { expressionFunctions, expressionWords, reservedWords } from "../sql/words.ts";

/** Tokens of a filter, without the WHERE that may lead it. @throws VxError `invalid_query` */
export function filterTokens(expression: string): Token[] {
  const tokens = tokenize(expression);
  if (isWord(tokens[0], "where")) tokens.shift();
  return tokens;
}

/** The keys that a filter names, as often as it does. @throws VxError `invalid_query` */
export function keysNamed(expression: string): string[] {
  const tokens = filterTokens(expression);
  const types = typeNames(tokens);
  return tokens.filter((_, at) => !isTable(tokens, at) && isKey(tokens, at, types)).map(({ text }) => text);
}

/** Whether a token is the `metadata` of `metadata.key`. */
export function isTable(tokens: readonly Token[], at: number): boolean {
  return isWord(tokens[at], "metadata") && tokens[at + 1]?.source === ".";
}

/** `types`: the tokens that name types. @throws VxError `invalid_query` for a word that has no place in a filter */
export function isKey(tokens: readonly Token[], at: number, types: ReadonlySet<Token>): boolean {
  const token = tokens[at] as Token;
  return token.kind === "quoted" || (token.kind === "word" && !isPlain(token, tokens, at, types));
}

/** Whether a word goes to SQLite as it is: a keyword, a function's name, a type or a collation. */
function isPlain(token: Token, tokens: readonly Token[], at: number, types: ReadonlySet<Token>): boolean {
  const word = token.source.toLowerCase();
  if (tokens[at - 1]?.source === "." || isEndName(tokens, at)) return false;
  if (expressionWords.has(word)) return true;
  if (isWord(tokens[at - 1], "collate")) {
    if (/^(binary|nocase|rtrim)$/.test(word)) return true;
    throw new VxError(
      "invalid_query",
      `No such collation: ${token.source}; BINARY, NOCASE and RTRIM are taken`,
    );
  }
  if (tokens[at + 1]?.kind === "open" && !types.has(token)) {
    if (expressionFunctions.has(word)) return true;
    throw new VxError("invalid_query", `No such function in a filter: ${token.source}${adviceOn(word)}`);
  }
  if (!reservedWords.has(word)) return types.has(token);
  throw new VxError(
    "invalid_query",
    `A filter is one expression, in which ${token.source} has no place (a key of that name needs quotes)`,
  );
}
