/**
 * Values of Arrow columns as JSON text: strings, numbers, booleans, and lists, structs and maps of them. Called by arrow.ts.
 * 64-bit integers keep all their digits. NaN and infinity, which JSON lacks, become null, as JSON.stringify has it.
 */
import { MapRow, StructRow, Vector } from "apache-arrow";
import { VxError } from "./errors.ts";

/** @throws VxError `invalid_request` for what JSON has no form of (bytes, decimals, intervals) */
export function jsonOf(value: unknown, column: string): string {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
  }
  if (value === null || value === undefined) return "null";
  if (value instanceof Vector) return `[${Array.from(value, (item) => jsonOf(item, column)).join()}]`;
  if (value instanceof StructRow || value instanceof MapRow) {
    const members = Array.from(value as Iterable<[unknown, unknown]>, ([key, item]) => {
      return `${JSON.stringify(String(key))}:${jsonOf(item, column)}`;
    });
    return `{${members.join()}}`;
  }
  if (value instanceof Date) return JSON.stringify(value);
  throw new VxError("invalid_request", `The column ${column} is of a type that metadata cannot hold`);
}
