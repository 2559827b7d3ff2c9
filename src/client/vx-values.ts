/**
 * What callers hand to the index's client, before JSON leaves out unsaid what it can't hold: a record would be kept without its
 * metadata, and a search find what it is to keep out. Called by vx-client; what JSON does say is the server's to judge.
 */
import { ShoalError } from "./shoal-error.ts";
import { type VxError, vxErrorFrom } from "./vx-error.ts";

/** @throws VxError `invalid_request` for an array, a Map, a Set, a function */
export function checkMetadata(metadata: unknown): void {
  if (metadata === undefined || metadata === null || isRecord(metadata)) return;
  throw refusedHere("invalid_request", "Metadata must be one object, with strings as keys");
}

/** @throws VxError `invalid_request` also for a facet without a value */
export function checkFacets(facets: unknown): void {
  if (!isRecord(facets)) throw refusedHere("invalid_request", "Facets are an object of keys and values");
  for (const [key, value] of Object.entries(facets)) {
    if (!["undefined", "function", "symbol"].includes(typeof value)) continue;
    throw refusedHere("invalid_request", `The facet ${key} must be a string, a number or a boolean`);
  }
}

/** The refusal that the server would give, had it been asked. */
export function refusedHere(code: string, message: string): VxError {
  return vxErrorFrom(new ShoalError(message, 400, code, undefined));
}

/** Of a Map or a Set, JSON sees nothing. */
function isRecord(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}
