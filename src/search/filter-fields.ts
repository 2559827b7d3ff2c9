/**
 * The fields that filters of files may name. Checked by nearest-files, for the index itself takes a key that no record has for
 * NULL: `kind = "text"`, where the double quotes make a name of the text, would find nothing, without a word.
 */
import { VxError } from "../vx/errors.ts";
import { keysNamed } from "../vx/metadata/filter-keys.ts";

/** Of the metadata of a file's records (file-records). */
const FILTER_FIELDS = [
  "name",
  "type",
  "kind",
  "size",
  "created_at",
  "complete",
  "local",
  "network",
  "holders",
] as const;

/** @throws VxError `invalid_query` for a filter that names something else */
export function checkFields(filter: string): void {
  const known: readonly string[] = FILTER_FIELDS;
  const unknown = keysNamed(filter).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new VxError(
    "invalid_query",
    `Files have no field "${unknown}": there are ${FILTER_FIELDS.join(", ")}. A text stands in single quotes, as in kind = 'text'`,
  );
}
