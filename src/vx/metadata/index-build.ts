/**
 * An index on a column made in steps, for SQLite makes one in a single long one: the rows are copied, some at a time, to a
 * table that has the index from the start, which then takes their table's place. Triggers bring to the copy what changes
 * meanwhile. Made by the key indexes.
 */
import type { Database } from "../sql/database.ts";
import { ownName, quoteName } from "../sql/names.ts";
import { TENDED_ROWS } from "./limits.ts";
import { ROWS } from "./table.ts";

const rows = quoteName(ROWS);
const copy = quoteName(ownName("copied rows"));
const added = quoteName(ownName("row added"));
const removed = quoteName(ownName("row removed"));

export class IndexBuild {
  readonly #database: Database;
  /** Columns of keys that the rows had at the start. */
  readonly #columns: number;
  /** Slots below this are copied. */
  #next = 0;

  /** `indexes`: columns and names of the indexes that the copy is to have. */
  constructor(database: Database, columns: number, indexes: { column: number; name: string }[]) {
    this.#database = database;
    this.#columns = columns;
    const names = ["slot", "id", ...Array.from({ length: columns }, (_, i) => `c${i}`)];
    const definitions = names.map((name) => (name === "slot" ? "slot INTEGER PRIMARY KEY" : name));
    const values = names.map((name) => `NEW.${name}`);
    database.transaction(() =>
      database.execute(`
        CREATE TABLE ${copy}(${definitions.join()});
        ${indexes.map(({ column, name }) => `CREATE INDEX ${name} ON ${copy}(c${column});`).join("\n")}
        CREATE TRIGGER ${added} AFTER INSERT ON ${rows} BEGIN
          INSERT OR REPLACE INTO ${copy} VALUES (${values.join()});
        END;
        CREATE TRIGGER ${removed} AFTER DELETE ON ${rows} BEGIN
          DELETE FROM ${copy} WHERE slot = OLD.slot;
        END;`),
    );
  }

  /** Whether the rows still have the columns that they had: others would not be copied. */
  fits(columns: number): boolean {
    return columns === this.#columns;
  }

  /** Copies some rows; true when all below `limit` are copied. @throws VxError `capacity_exceeded` */
  copySome(limit: number): boolean {
    const end = this.#next + TENDED_ROWS;
    this.#database.execute(
      `INSERT OR IGNORE INTO ${copy} SELECT * FROM ${rows} WHERE slot >= ${this.#next} AND slot < ${end}`,
    );
    this.#next = end;
    return end >= limit;
  }

  /** Puts the copy in the place of the rows, once all are copied. */
  finish(): void {
    this.#database.transaction(() => {
      this.#database.execute(`DROP TABLE ${rows}; ALTER TABLE ${copy} RENAME TO ${rows}`);
    });
  }

  /** Leaves all as it was. */
  abort(): void {
    this.#database.execute(
      `DROP TRIGGER IF EXISTS ${added}; DROP TRIGGER IF EXISTS ${removed}; DROP TABLE IF EXISTS ${copy}`,
    );
  }
}
