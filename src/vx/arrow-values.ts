/**
 * Values of Arrow columns as JSON text: strings, numbers, booleans, times as ISO 8601, and lists, structs and maps of them.
 * Called by arrow.ts. 64-bit integers keep all their digits. NaN and infinity, which JSON lacks, become null, as
 * JSON.stringify has it.
 */
import { DataType } from "apache-arrow";
import { isList } from "./arrow-check.ts";

/** The value, of a column that checkColumn passed. */
export function jsonOf(value: unknown, type: DataType): string {
  if (value === null || value === undefined) return "null";
  if (DataType.isDictionary(type)) return jsonOf(value, type.dictionary);
  if (isList(type) || DataType.isFixedSizeList(type)) {
    return `[${Array.from(value as Iterable<unknown>, (item) => jsonOf(item, type.valueType)).join()}]`;
  }
  if (DataType.isStruct(type)) {
    const members = Array.from(value as Iterable<[string, unknown]>, ([name, item], i) => {
      return `${JSON.stringify(name)}:${jsonOf(item, type.children[i]?.type as DataType)}`;
    });
    return `{${members.join()}}`;
  }
  if (DataType.isMap(type)) {
    const members = Array.from(value as Iterable<[unknown, unknown]>, ([key, item]) => {
      return `${JSON.stringify(String(key))}:${jsonOf(item, type.valueType)}`;
    });
    return `{${members.join()}}`;
  }
  if (DataType.isDate(type) || DataType.isTimestamp(type)) {
    return JSON.stringify(new Date(Number(value)).toISOString());
  }
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}
