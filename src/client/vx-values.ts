/**
 * What callers hand to the index's client, on its way into JSON. What that can't hold, or leaves out unsaid, is refused
 * here with the code that the library gives it: a record would be kept without its metadata, and a search find what it
 * is to keep out. Called by vx-client; what JSON does say is the server's to judge.
 */
import { ShoalError } from "./shoal-error.ts";
import type { NewVector } from "./vx-client.ts";
import { VxError, vxErrorFrom } from "./vx-error.ts";

/** A record as it is sent. @throws InvalidIDError, VxError `invalid_vector`, `invalid_request` */
export function recordOf({ id, vector, metadata, ...rest }: NewVector): object {
  if (metadata !== undefined && metadata !== null && !isRecord(metadata)) {
    throw refusedHere("invalid_request", "Metadata must be one object, with strings as keys");
  }
  return { id: idNumber(id), vector: numbersOf(vector), metadata, ...rest };
}

/** @throws what `recordOf` throws */
export function recordsOf(vectors: readonly NewVector[]): object[] {
  if (Array.isArray(vectors) && vectors.every((record) => Boolean(record)))
    return vectors.map(numberedRecordOf);
  throw refusedHere("invalid_request", "A batch is an array of records");
}

/** A refusal tells which of the records it is of. */
function numberedRecordOf(record: NewVector, at: number): object {
  try {
    return recordOf(record);
  } catch (error) {
    throw error instanceof VxError ? refusedHere(error.code, `vectors[${at}]: ${error.message}`) : error;
  }
}

function idNumber(id: number | bigint): number {
  if (typeof id === "number") return id;
  if (typeof id === "bigint" && id >= 0n && id <= Number.MAX_SAFE_INTEGER) return Number(id);
  throw invalidId();
}

export function invalidId(): VxError {
  return refusedHere("invalid_id", `An id is an integer from 0 to ${Number.MAX_SAFE_INTEGER}`);
}

/** @throws VxError `invalid_vector` */
export function numbersOf(vector: Iterable<number>): number[] {
  if (typeof vector !== "object" || vector === null || !(Symbol.iterator in vector)) {
    throw refusedHere("invalid_vector", "A vector is an array of numbers");
  }
  const numbers = [...vector];
  // JSON has no bigint, and null for NaN and infinity.
  const at = numbers.findIndex((number: number | bigint) =>
    typeof number === "number" ? !Number.isFinite(number) : typeof number === "bigint",
  );
  if (at === -1) return numbers;
  throw refusedHere(
    "invalid_vector",
    `A vector's elements must be finite numbers; element ${at} is ${numbers[at]}`,
  );
}

/** @throws VxError `invalid_request`, `invalid_vector` */
export function rowsOf(vectors: readonly Iterable<number>[]): number[][] {
  if (Array.isArray(vectors)) return vectors.map(numbersOf);
  throw refusedHere("invalid_request", "Several vectors are a list of them");
}

/** @throws VxError `invalid_request` also for a facet without a value */
export function checkFacets(facets: unknown): void {
  if (!isRecord(facets)) throw refusedHere("invalid_request", "Facets are an object of keys and values");
  for (const [key, value] of Object.entries(facets)) {
    if (!["undefined", "function", "symbol"].includes(typeof value)) continue;
    throw refusedHere("invalid_request", `The facet ${key} must be a string, a number or a boolean`);
  }
}

/** @throws VxError `invalid_request` for what JSON can't hold: a bigint, a cycle */
export function jsonText(value: object): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    // Engines draw a cycle over several lines.
    throw refusedHere("invalid_request", `JSON can't hold it: ${reason.replace(/\s+/g, " ")}`);
  }
}

/** The refusal that the server would give, had it been asked. */
function refusedHere(code: string, message: string): VxError {
  return vxErrorFrom(new ShoalError(message, 400, code, undefined));
}

/** Of a Map or a Set, JSON sees nothing. */
function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}
