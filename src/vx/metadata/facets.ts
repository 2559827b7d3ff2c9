/**
 * Makes SQL of facets: keys that must each have a value. Called by the filter sets.
 *
 * A facet's value is a text. It equals a string that is that text, a number or boolean whose text it is (5.0 is "5", or
 * "5.0" where it was written so), and an array with such an element. Columns do not tell true from 1, 5.0 from 5 or an array
 * or object from a string that looks like one, so where both may be there the records found are looked at once more.
 */
import { VxError } from "../errors.ts";
import { quoteName, quoteText } from "../sql/names.ts";
import { toHex } from "../storage/hex.ts";
import { isFacet } from "./array-functions.ts";
import { columnOf } from "./filter.ts";
import { JsonKind } from "./json-cursor.ts";
import { JsonScanner } from "./json-scanner.ts";
import type { Key, Keys } from "./keys.ts";
import { MAX_FACETS } from "./limits.ts";
import type { Facets } from "./metadata-index.ts";

export interface CompiledFacets {
  where: string;
  compared: Key[];
  /** What a record found must pass besides. */
  check: ((metadata: string) => boolean) | undefined;
}

const encoder = new TextEncoder();

/** Sorted and in text: the same for the same facets. @throws VxError `invalid_request` */
export function facetEntries(facets: Facets): [key: string, text: string][] {
  const entries = Object.entries(facets);
  if (entries.length > MAX_FACETS) {
    throw new VxError("invalid_request", `A search takes ${MAX_FACETS} facets at most`);
  }
  for (const [key, value] of entries) {
    if (!["string", "number", "boolean"].includes(typeof value)) {
      throw new VxError("invalid_request", `The facet ${key} must be a string, a number or a boolean`);
    }
  }
  return entries
    .map(([key, value]): [string, string] => [key, String(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

export function compileFacets(entries: [string, string][], keys: Keys, ownFunction: string): CompiledFacets {
  const compared: Key[] = [];
  let isDoubtful = false;
  const terms = entries.map(([name, wanted]) => {
    const key = keys.get(name);
    if (key === undefined) return "0";
    if (key.column !== undefined) compared.push(key);
    const column = columnOf(key);
    const text = textLiteral(wanted);
    const number = numberOf(wanted, key);
    isDoubtful ||= number !== undefined && key.hasNumbers && (key.hasBooleans || !isOwnText(wanted));
    isDoubtful ||= key.hasArrays && (key.hasBracketTexts || wanted.startsWith("["));
    isDoubtful ||= wanted.startsWith("{");
    const equal = `${column} IN (${number === undefined ? text : `${text}, ${number}`})`;
    if (!key.hasArrays) return equal;
    // Texts that begin with a bracket lie between the bracket and the next character.
    return `(${equal} OR (${column} >= '[' AND ${column} < '\\' AND ${quoteName(ownFunction)}(${column}, ${text})))`;
  });
  return {
    where: terms.length === 0 ? "1" : terms.join(" AND "),
    compared,
    check: isDoubtful ? (metadata) => hasFacets(metadata, entries) : undefined,
  };
}

/** Whether metadata has every key with its value. */
function hasFacets(metadata: string, entries: [string, string][]): boolean {
  const bytes = encoder.encode(metadata);
  const scanner = new JsonScanner();
  const found = new Map<string, boolean>();
  const wanted = new Map(entries);
  scanner.openObject(bytes, 0, bytes.length);
  while (scanner.nextMember()) {
    const key = scanner.text(scanner.keyStart, scanner.keyEnd, scanner.isKeyEscaped);
    const text = wanted.get(key);
    if (text === undefined) continue;
    const isIn = scanner.kind === JsonKind.array && isInArray(bytes, scanner.start, scanner.end, text);
    found.set(key, isIn || isFacet(scanner, text));
  }
  return entries.every(([key]) => found.get(key) === true);
}

function isInArray(bytes: Uint8Array<ArrayBuffer>, start: number, end: number, text: string): boolean {
  const elements = new JsonScanner();
  elements.openArray(bytes, start, end);
  while (elements.nextElement()) if (isFacet(elements, text)) return true;
  return false;
}

/** What the key's column may hold of a number or boolean with that text. */
function numberOf(text: string, { hasBooleans, hasNumbers }: Key): string | undefined {
  if (text === "true" || text === "false") return hasBooleans ? String(Number(text === "true")) : undefined;
  if (!hasNumbers || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined;
  const number = Number(text);
  // SQLite has no word for infinity.
  if (!Number.isFinite(number)) return number > 0 ? "9e999" : "-9e999";
  const real = Number.isInteger(number) ? number.toExponential() : String(number);
  if (!/^-?\d+$/.test(text)) return real;
  // Beyond 2^53 the text of a real's value may be that of another integer.
  return Number.isSafeInteger(number) ? text : `${text}, ${real}`;
}

/** Whether every number equal to it has that text. */
function isOwnText(text: string): boolean {
  return String(Number(text)) === text && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
}

/** As SQL, whatever is in it. */
function textLiteral(text: string): string {
  if (!text.includes("\0")) return quoteText(text);
  return `CAST(x'${toHex(encoder.encode(text))}' AS TEXT)`;
}
