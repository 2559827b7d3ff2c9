/**
 * Indexes on the columns that filters compare, made when scans have shown that they are wanted. Kept by the metadata
 * index; told of scans by the filter sets.
 */
import { VxError } from "../errors.ts";
import type { Database } from "../sql/database.ts";
import { MAX_INDEXES, MIN_INDEXED_RECORDS, SCANS_BEFORE_INDEX } from "../sql/limits.ts";
import { ownName, quoteName } from "../sql/names.ts";
import type { Key } from "./keys.ts";
import { ROWS } from "./table.ts";

export class KeyIndexes {
  readonly #database: Database;
  /** Keys with an index, the least lately used first. */
  readonly #indexed = new Set<Key>();
  #wanted: Key | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A filter compared these keys, and looked at so many rows for want of an index. */
  used(compared: Key[], scannedRows: number): void {
    for (const key of compared) {
      if (this.#indexed.delete(key)) {
        this.#indexed.add(key);
      } else if (scannedRows >= MIN_INDEXED_RECORDS) {
        key.scans += 1;
        if (key.scans >= SCANS_BEFORE_INDEX) this.#wanted ??= key;
      }
    }
  }

  /** Makes an index that is wanted. False if none is. */
  make(): boolean {
    const key = this.#wanted;
    this.#wanted = undefined;
    if (key === undefined || key.records === 0) return false;
    const [oldest] = this.#indexed;
    if (oldest !== undefined && this.#indexed.size >= MAX_INDEXES) this.drop(oldest);
    try {
      this.#database.execute(`CREATE INDEX ${indexName(key)} ON ${quoteName(ROWS)}(c${key.column})`);
    } catch (error) {
      // Where memory is short, filters go on without.
      if (error instanceof VxError && error.code === "capacity_exceeded") return false;
      throw error;
    }
    this.#indexed.add(key);
    this.#database.execute(`ANALYZE ${quoteName(ROWS)}`);
    return true;
  }

  drop(key: Key): void {
    key.scans = 0;
    if (this.#indexed.delete(key)) this.#database.execute(`DROP INDEX ${indexName(key)}`);
  }
}

function indexName(key: Key): string {
  return quoteName(ownName(`by c${key.column}`));
}
