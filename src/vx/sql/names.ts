/**
 * Keys as names of SQL. SQLite takes names that differ in case alone for one, ends them at a NUL, and calls a view's columns
 * `true` and `false` something else; here every key is a name of its own. Called by the query's compiler and the tables.
 *
 * | in the key | in the name |
 * |---|---|
 * | `A` to `Z` | `^` and the letter |
 * | `^` | `^^` |
 * | NUL | `^0` |
 * | half of a surrogate pair | `^2` and four hex digits |
 * | nothing at all | `^3` |
 * | `true` or `false`, and nothing else | `^4` and the word |
 *
 * A name with `^1` is thus no key's: those are the names of our own tables.
 */

const OWN = "^1";

/** The name of a table of our own, which no SQL of a stranger can say. */
export function ownName(name: string): string {
  return OWN + name;
}

export function encodeName(key: string): string {
  if (key === "") return "^3";
  if (key === "true" || key === "false") return `^4${key}`;
  return key.replace(/[A-Z^]|\0|\p{Surrogate}/gu, (char) => {
    if (char === "\0") return "^0";
    if (char > "^") return `^2${char.charCodeAt(0).toString(16)}`;
    return `^${char}`;
  });
}

/** In double quotes, as SQL takes any name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** In single quotes. The text must have no NUL. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
