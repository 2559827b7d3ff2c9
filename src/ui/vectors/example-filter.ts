/** A condition that some records' metadata suggests; it shows how keys and texts are written. Pure; called by vectors-state. */
import { MAX_EXAMPLE_TEXT_CHARS } from "./limits.ts";

export function exampleFilter(records: readonly Record<string, unknown>[]): string {
  const values = records.flatMap((metadata) => Object.entries(metadata));
  for (const [key, value] of values) {
    if (typeof value === "string" && value !== "" && value.length <= MAX_EXAMPLE_TEXT_CHARS)
      return `${quotedKey(key)} = '${value.replaceAll("'", "''")}'`;
  }
  const [first] = values;
  return first === undefined ? "id < 100" : `${quotedKey(first[0])} IS NOT NULL`;
}

/** In quotes, which a key that is a word of SQL needs, such as `group`. */
export function quotedKey(key: string): string {
  return `"${key.replaceAll('"', '""')}"`;
}
