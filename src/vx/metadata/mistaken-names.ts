/**
 * Names in a filter that no vector has and that were hardly meant: a text in double quotes, as other languages have
 * them, a key in letters of another case, as SQL in general takes it, another product's name for the distance, and a name
 * for all of a record's metadata, as queries have. Called by the compiler of filters, since all of these would find nothing
 * without a word.
 */
import { VxError } from "../errors.ts";
import type { Token } from "../sql/tokens.ts";
import { isWord } from "../sql/type-names.ts";
import { reservedWords } from "../sql/words.ts";
import type { Keys } from "./keys.ts";
import { MAX_QUERY_KEYS } from "./limits.ts";
import { lookAfter } from "./looked-into.ts";

const comparing = new Set("= == != <> < > <= >= between glob is like".split(" "));

/** What a name has at most by chance, and a pattern in general. */
const wildcards = new Map([
  ["glob", /[*?[]/],
  ["like", /%/],
]);

/** LanceDB's. */
const DISTANCE = "_distance";

/** What queries call all of a record's metadata, and their table. */
const wholes = new Set(["json", "metadata"]);

/** What texts stand in parentheses after; to functions in general keys are given. */
const listing = new Set(["in", "json_array_contains"]);

/** `names`: where in the tokens names stand, of which one at least no vector has. @throws VxError `invalid_query` */
export function refuseMistaken(tokens: readonly Token[], names: readonly number[], keys: Keys): void {
  const isThere = ({ text }: Token) => text === "id" || keys.get(text) !== undefined;
  const named = names.map((at) => tokens[at] as Token);
  const pattern = names.find((at) => !isThere(tokens[at] as Token) && isPattern(tokens, at));
  if (pattern !== undefined && named.some(isThere)) throw meantAsText(tokens[pattern] as Token);
  // Who has quoted a key that is there knows what quotes are for.
  const knowsQuotes = named.some((token) => isInDoubleQuotes(token) && isThere(token));
  if (!knowsQuotes && named.some((token) => token.kind === "word" && isThere(token))) {
    const before = wordsBeforeParentheses(tokens);
    const text = names.find((at) => !isThere(tokens[at] as Token) && isMeantAsText(tokens, at, before[at]));
    if (text !== undefined) throw meantAsText(tokens[text] as Token);
  }
  const words = named.filter((token) => token.kind === "word" && !isThere(token));
  if (words.some(({ text }) => text === DISTANCE)) throw noDistance();
  for (const at of names) refuseWhole(tokens, at, keys);
  if (words.length > 0) refuseOtherCase(words, new Set(named.map(({ text }) => text)), keys);
}

function isInDoubleQuotes({ kind, source }: Token): boolean {
  return kind === "quoted" && source.startsWith('"');
}

/** Two keys are compared so, too, whatever the quotes, but not by a name with wildcards. */
function isPattern(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at] as Token;
  const before = tokens[at - 1]?.source.toLowerCase() ?? "";
  return isInDoubleQuotes(token) && wildcards.get(before)?.test(token.text) === true;
}

/** Of each token, what stands before the parenthesis that it is in. */
function wordsBeforeParentheses(tokens: readonly Token[]): (string | undefined)[] {
  const open: (string | undefined)[] = [];
  return tokens.map(({ kind }, at) => {
    const before = open.at(-1);
    if (kind === "open") open.push(tokens[at - 1]?.source.toLowerCase());
    if (kind === "close") open.pop();
    return before;
  });
}

/**
 * In quotes behind what compares, or in a list (`inside`: what that list is of), unless what it compares with is
 * quoted, too, or a key of that name needs quotes.
 */
function isMeantAsText(tokens: readonly Token[], at: number, inside: string | undefined): boolean {
  const token = tokens[at] as Token;
  const isQuoted = isInDoubleQuotes(token) || /^[“”„‘’]/.test(token.source);
  if (!isQuoted || reservedWords.has(token.text.toLowerCase())) return false;
  const isAfterIsNot = isWord(tokens[at - 2], "is") && isWord(tokens[at - 1], "not");
  const isBound = isWord(tokens[at - 3], "between") && isWord(tokens[at - 1], "and");
  const beforeAt = at - (isBound ? 3 : isAfterIsNot ? 2 : 1);
  const [other, before] = [tokens[beforeAt - 1], tokens[beforeAt]];
  if (before?.kind === "open" || before?.source === ",") return listing.has(inside ?? "");
  return before !== undefined && comparing.has(before.source.toLowerCase()) && other?.kind !== "quoted";
}

function meantAsText({ kind, source, text }: Token): VxError {
  const content = kind === "quoted" ? text : text.replace(/^[“”„‘’]|[“”‘’]$/g, "");
  const [asText, asKey] = [`'${content.replaceAll("'", "''")}'`, `\`${text.replaceAll("`", "``")}\``];
  return new VxError(
    "invalid_query",
    `No vector has the key ${source}: a text stands in single quotes, ${asText} (such a key in backquotes, ${asKey})`,
  );
}

function noDistance(): VxError {
  return new VxError(
    "invalid_query",
    `No vector has the key ${DISTANCE}: a filter tells which vectors are searched, before there are distances`,
  );
}

/** `metadata ->> 'city'` and `json_extract(json, '$.city')`, where `city` is a key that is there. */
function refuseWhole(tokens: readonly Token[], at: number, keys: Keys): void {
  const { kind, source, text } = tokens[at] as Token;
  if (kind !== "word" || !wholes.has(text.toLowerCase()) || keys.get(text) !== undefined) return;
  const after = lookAfter(tokens, at);
  const path = after === undefined ? undefined : tokens[after + 1];
  const key = path?.kind === "string" ? firstLabel(path.text) : undefined;
  if (key === undefined || keys.get(key) === undefined) return;
  throw new VxError(
    "invalid_query",
    `No vector has the key ${source}: a key is named by itself here, ${key}`,
  );
}

/** Of a path, or of what an arrow takes without one: there a dot is a letter as any. */
function firstLabel(path: string): string | undefined {
  if (!path.startsWith("$")) return path;
  const [, quoted, plain] = /^\$\.(?:"([^"]*)"|([^.[]+))/.exec(path) ?? [];
  return quoted ?? plain;
}

/** Unless the filter names the other key as well. */
function refuseOtherCase(words: readonly Token[], named: ReadonlySet<string>, keys: Keys): void {
  const byLetters = new Map(words.map((word) => [word.text.toLowerCase(), word]));
  let looks = 0;
  for (const name of names(keys)) {
    const word = byLetters.get(name.toLowerCase());
    if (word !== undefined && !named.has(name))
      throw new VxError(
        "invalid_query",
        `No vector has the key ${word.source}: there is ${name} (in quotes a key is taken as it is written)`,
      );
    if (++looks > MAX_QUERY_KEYS) return;
  }
}

function* names(keys: Keys): Generator<string> {
  yield "id";
  for (const { name } of keys) yield name;
}
