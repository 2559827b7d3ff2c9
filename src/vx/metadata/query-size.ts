/**
 * How much a query reads: its SELECTs, and what they join, by JOIN or by commas. Called by the query's compiler, since SQLite
 * takes as long to prepare a statement as it has of these, and looks at no clock meanwhile.
 */
import type { Token } from "../sql/tokens.ts";
import { isWord } from "../sql/type-names.ts";

/** What ends the list of tables behind a FROM. ON does not: more of them may follow. */
const ENDS = new Set("select where group having window order limit union intersect except values".split(" "));

export function selectsAndJoins(tokens: readonly Token[]): number {
  let count = 0;
  /** Of each parenthesis that is open, whether tables are listed in it just now. */
  const inTables = [false];
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    const word = token.kind === "word" ? token.source.toLowerCase() : "";
    if (token.kind === "open") inTables.push(inTables.at(-1) === true && isBeforeTable(before));
    else if (token.kind === "close") inTables.pop();
    else if (ENDS.has(word)) inTables[inTables.length - 1] = false;
    // IS DISTINCT FROM compares.
    else if (word === "from" && !isWord(before, "distinct")) inTables[inTables.length - 1] = true;
    const isJoin = word === "join" || (token.source === "," && inTables.at(-1) === true);
    if (word === "select" || isJoin) count += 1;
  }
  return count;
}

/** Whether a table may follow, or several in parentheses. */
function isBeforeTable(token: Token | undefined): boolean {
  return token?.kind === "open" || token?.source === "," || isWord(token, "from") || isWord(token, "join");
}
