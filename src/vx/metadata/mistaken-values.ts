/**
 * Names in a filter that no vector has, where a text was meant if a record holds it: `"city" = "Bern"` and
 * `city = Bern` are right as long as no `city` is Bern, and find nothing. Such a record, once it is looked at, refuses
 * the filter. Called by the compiler of filters, after `mistaken-names`, which needs no records; the function is added
 * by the metadata index.
 */
import { FunctionCall } from "../sql/arguments.ts";
import type { Database } from "../sql/database.ts";
import { ownName, quoteName, quoteText } from "../sql/names.ts";
import type { Token } from "../sql/tokens.ts";
import { isWord } from "../sql/type-names.ts";
import type { Key, Keys } from "./keys.ts";
import { meantAsText } from "./mistaken-names.ts";

export const MISTAKEN_FUNCTION = ownName("mistaken");

const equating = new Set(["=", "==", "!=", "<>", "is"]);

export function addMistakenFunction(database: Database): void {
  const call = new FunctionCall(database);
  database.addFunction(MISTAKEN_FUNCTION, 1, (context, count, values) => {
    call.open(context, count, values);
    const text = call.text(0);
    return call.fail(meantAsText(text, text).message);
  });
}

/** The texts that a key is compared with by names that no vector has. `names`: where in the tokens names stand. */
export function textsInDoubt(
  tokens: readonly Token[],
  names: readonly number[],
  keys: Keys,
): Map<Key, Set<string>> {
  const texts = new Map<Key, Set<string>>();
  const places = new Set(names);
  /** Of each parenthesis that is open, where the key stands whose list it is. */
  const listed: (number | undefined)[] = [];
  for (const [at, { kind, source, text }] of tokens.entries()) {
    if (kind === "open") listed.push(isWord(tokens[at - 1], "in") ? comparedAt(tokens, at - 1) : undefined);
    if (kind === "close") listed.pop();
    // SQL in general has no texts in these.
    const isSurelyName = /^[`[]/.test(source) || text.includes("\0");
    if (!places.has(at) || isSurelyName || text === "id" || keys.get(text) !== undefined) continue;
    const before = tokens[at - 1];
    const isInList = before?.kind === "open" || before?.source === ",";
    const other = isInList ? listed.at(-1) : equatedAt(tokens, at);
    const key = other !== undefined && places.has(other) ? keys.get(tokens[other]?.text ?? "") : undefined;
    if (key === undefined) continue;
    const meant = texts.get(key) ?? new Set();
    texts.set(key, meant.add(text));
  }
  return texts;
}

/** The condition, for a row that shows none of the texts to be meant; else its refusal. `columnOf`: a key's value, as SQL. */
export function unlessMeant(
  texts: ReadonlyMap<Key, ReadonlySet<string>>,
  where: string,
  columnOf: (key: Key) => string,
): string {
  if (texts.size === 0) return where;
  const refusals = Array.from(texts, ([key, meant]) => {
    const column = columnOf(key);
    return `WHEN ${column} IN (${Array.from(meant, quoteText)}) THEN ${quoteName(MISTAKEN_FUNCTION)}(${column})`;
  });
  return `CASE ${refusals.join(" ")} ELSE (${where}) END`;
}

function equatedAt(tokens: readonly Token[], at: number): number | undefined {
  const operator = isWord(tokens[at - 1], "not") && isWord(tokens[at - 2], "is") ? at - 2 : at - 1;
  return equating.has(tokens[operator]?.source.toLowerCase() ?? "")
    ? comparedAt(tokens, operator)
    : undefined;
}

/** Where stands what an operator compares. */
function comparedAt(tokens: readonly Token[], operator: number): number {
  return isWord(tokens[operator - 1], "not") ? operator - 2 : operator - 1;
}
