/**
 * Indexes on the columns that filters compare, made when scans have shown that they are wanted. Kept by the metadata
 * index; told of scans by the filter sets. Calls IndexBuild where there are too many records for one step.
 */
import { VxError } from "../errors.ts";
import type { Database } from "../sql/database.ts";
import { ownName, quoteName } from "../sql/names.ts";
import { IndexBuild } from "./index-build.ts";
import type { Key, Keys } from "./keys.ts";
import {
  MAX_INDEXES,
  MAX_RECORDS_INDEXED_AT_ONCE,
  MIN_INDEXED_RECORDS,
  SCANS_BEFORE_INDEX,
} from "./limits.ts";
import { ROWS } from "./table.ts";

interface Building {
  build: IndexBuild;
  indexed: Map<Key, string>;
}

export class KeyIndexes {
  readonly #database: Database;
  readonly #keys: Keys;
  /** Keys with an index and its name, the least lately used first. */
  #indexed = new Map<Key, string>();
  #wanted: Key | undefined;
  /** What is being made, and the indexes that there are to be then. */
  #building: Building | undefined;
  #namesGiven = 0;

  constructor(database: Database, keys: Keys) {
    this.#database = database;
    this.#keys = keys;
  }

  /** A filter compared these keys, and looked at so many rows for want of an index. */
  used(compared: Key[], scannedRows: number): void {
    for (const key of compared) {
      const name = this.#indexed.get(key);
      if (name !== undefined) {
        this.#indexed.delete(key);
        this.#indexed.set(key, name);
      } else if (scannedRows >= MIN_INDEXED_RECORDS) {
        key.scans += 1;
        if (key.scans >= SCANS_BEFORE_INDEX) this.#wanted ??= key;
      }
    }
  }

  /** A step towards an index that is wanted; all slots are below `limit`. True if there may be more to do. */
  tend(limit: number): boolean {
    try {
      return this.#building === undefined ? this.#begin(limit) : this.#goOn(this.#building, limit);
    } catch (error) {
      this.#abort();
      // Where memory is short, filters go on without.
      if (error instanceof VxError && error.code === "capacity_exceeded") return false;
      throw error;
    }
  }

  drop(key: Key): void {
    key.scans = 0;
    if (this.#building?.indexed.has(key)) this.#abort();
    const name = this.#indexed.get(key);
    this.#indexed.delete(key);
    if (name !== undefined) this.#database.execute(`DROP INDEX ${name}`);
  }

  #begin(limit: number): boolean {
    const key = this.#wanted;
    this.#wanted = undefined;
    if (key === undefined || key.records === 0) return false;
    const [oldest] = this.#indexed.keys();
    if (oldest !== undefined && this.#indexed.size >= MAX_INDEXES) this.drop(oldest);
    if (limit <= MAX_RECORDS_INDEXED_AT_ONCE) {
      const name = this.#newName();
      this.#database.execute(`CREATE INDEX ${name} ON ${quoteName(ROWS)}(c${key.column})`);
      this.#indexed.set(key, name);
      this.#analyze();
    } else {
      const indexed = new Map([...this.#indexed.keys(), key].map((each) => [each, this.#newName()]));
      const indexes = Array.from(indexed, ([{ column }, name]) => ({ column: column as number, name }));
      const build = new IndexBuild(this.#database, this.#keys.columnCount, indexes);
      this.#building = { build, indexed };
    }
    return true;
  }

  #goOn({ build, indexed }: Building, limit: number): boolean {
    if (!build.fits(this.#keys.columnCount)) {
      this.#abort();
    } else if (build.copySome(limit)) {
      build.finish();
      this.#building = undefined;
      this.#indexed = indexed;
      this.#analyze();
    }
    return true;
  }

  /** Gives up what is being made; filters will show again that it is wanted. */
  #abort(): void {
    const building = this.#building;
    this.#building = undefined;
    building?.build.abort();
  }

  #analyze(): void {
    this.#database.execute(`ANALYZE ${quoteName(ROWS)}`);
  }

  #newName(): string {
    return quoteName(ownName(`index ${this.#namesGiven++}`));
  }
}
