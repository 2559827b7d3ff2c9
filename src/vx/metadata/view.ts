/**
 * The table that a query sees: a view over our own, with a column for each of the oldest keys. Kept by the metadata
 * index, and made anew before a query when the keys have changed.
 */
import type { Database } from "../sql/database.ts";
import { encodeName, quoteName } from "../sql/names.ts";
import { columnOf } from "./filter.ts";
import type { Keys } from "./keys.ts";
import { MAX_QUERY_KEY_CHARS, MAX_QUERY_KEYS } from "./limits.ts";
import { ROWS } from "./table.ts";
import { TEXT_OF_SLOT } from "./text-of-slot.ts";

export const VIEW = "metadata";

export class QueryView {
  readonly #database: Database;
  readonly #keys: Keys;
  /** Of the keys, when the view was made. */
  #version = -1;
  #names = new Map<string, string>();

  constructor(database: Database, keys: Keys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** Makes the view what the keys are. Gives the names of its columns, by their encoding. */
  renew(): ReadonlyMap<string, string> {
    if (this.#version === this.#keys.version) return this.#names;
    const columns = ["r.id AS id", `${quoteName(TEXT_OF_SLOT)}(r.slot) AS json`];
    this.#names = new Map();
    for (const key of this.#keys) {
      if (this.#names.size === MAX_QUERY_KEYS) break;
      if (key.name === "id" || key.name === "json" || key.name.length > MAX_QUERY_KEY_CHARS) continue;
      const name = encodeName(key.name);
      this.#names.set(name, key.name);
      columns.push(`${columnOf(key)} AS ${quoteName(name)}`);
    }
    this.#database.execute(`
      DROP VIEW IF EXISTS ${VIEW};
      CREATE VIEW ${VIEW} AS SELECT ${columns.join()} FROM ${quoteName(ROWS)} r`);
    this.#version = this.#keys.version;
    return this.#names;
  }
}
