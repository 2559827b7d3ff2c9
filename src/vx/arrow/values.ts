/**
 * Values of Arrow columns as JSON text: strings, numbers, booleans, times as ISO 8601, and lists, structs and maps of them.
 * Called by read-arrow. 64-bit integers keep all their digits. NaN and infinity, which JSON lacks, become null, as
 * JSON.stringify has it.
 */
import { DataType, type Map_, type Struct } from "apache-arrow";
import { isList } from "./column-check.ts";

/** The value, of a column that checkColumn passed. */
export function jsonOf(value: unknown, type: DataType): string {
  if (value === null || value === undefined) return "null";
  if (DataType.isDictionary(type)) return jsonOf(value, type.dictionary);
  if (isList(type) || DataType.isFixedSizeList(type)) {
    return `[${Array.from(value as Iterable<unknown>, (item) => jsonOf(item, type.valueType)).join()}]`;
  }
  if (isObject(type)) {
    const members = Array.from(entriesOf(value, type), ([name, item, itemType]) => {
      return member(name, item, itemType);
    });
    return `{${members.join()}}`;
  }
  if (DataType.isDate(type) || DataType.isTimestamp(type)) {
    return JSON.stringify(new Date(Number(value)).toISOString());
  }
  return typeof value === "bigint" ? value.toString() : JSON.stringify(value);
}

export function isObject(type: DataType): type is Struct | Map_ {
  return DataType.isStruct(type) || DataType.isMap(type);
}

/** The members of an object as JSON text, of a column that checkColumn passed. What is null is left out. */
export function membersOf(value: unknown, type: Struct | Map_): string[] {
  if (value === null || value === undefined) return [];
  return Array.from(entriesOf(value, type)).flatMap(([name, item, itemType]) => {
    return item === null ? [] : [member(name, item, itemType)];
  });
}

function member(name: string, value: unknown, type: DataType): string {
  return `${JSON.stringify(name)}:${jsonOf(value, type)}`;
}

function* entriesOf(value: unknown, type: Struct | Map_): Generator<[string, unknown, DataType]> {
  let i = 0;
  for (const [name, item] of value as Iterable<[unknown, unknown]>) {
    yield [String(name), item, DataType.isMap(type) ? type.valueType : (type.children[i]?.type as DataType)];
    i += 1;
  }
}
