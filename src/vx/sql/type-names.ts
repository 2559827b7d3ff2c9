/**
 * Which words of a stranger's SQL name a type: those behind the AS of a CAST, up to its parenthesis. Told for a whole
 * statement at once, for it may have a quarter of a million words. Called by the compilers of filters and queries.
 */
import type { Token } from "./tokens.ts";

export function typeNames(tokens: readonly Token[]): ReadonlySet<Token> {
  const names = new Set<Token>();
  /** Of each parenthesis that is open, whether it is a CAST's. */
  const casts: boolean[] = [];
  let isType = false;
  for (const [i, token] of tokens.entries()) {
    if (isWord(token, "as")) isType = casts.at(-1) === true;
    else if (token.kind !== "word") isType = false;
    else if (isType) names.add(token);
    if (token.kind === "open") casts.push(isWord(tokens[i - 1], "cast"));
    if (token.kind === "close") casts.pop();
  }
  return names;
}

export function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === "word" && token.source.toLowerCase() === word;
}
