/**
 * A prepared statement: values in, rows out, by number. Made by the database; called by the parts of metadata/.
 * Source: https://sqlite.org/c3ref/stmt.html
 */
import type { Database } from "./database.ts";
import type { Pointer, SqliteExports } from "./engine.ts";

const ROW = 100;
const DONE = 101;

const FULL_SCAN_STEPS = 1;

const INTEGER = 1;
const FLOAT = 2;
const TEXT = 3;
const BLOB = 4;

/** The bytes stay where they are until the statement is reset: SQLite takes no copy. */
const STATIC = 0;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Statement {
  readonly #database: Database;
  readonly #sqlite: SqliteExports;
  readonly #pointer: Pointer;

  constructor(database: Database, pointer: Pointer) {
    this.#database = database;
    this.#sqlite = database.engine.exports;
    this.#pointer = pointer;
  }

  get isReadOnly(): boolean {
    return this.#sqlite.sqlite3_stmt_readonly(this.#pointer) !== 0;
  }

  /** Rows that were looked at for want of an index. */
  get scannedRows(): number {
    return this.#sqlite.sqlite3_stmt_status(this.#pointer, FULL_SCAN_STEPS, 0);
  }

  /** True if there is a row. */
  step(): boolean {
    const code = this.#sqlite.sqlite3_step(this.#pointer);
    if (code === ROW) return true;
    if (code === DONE) return false;
    const error = this.#database.error(code);
    this.reset();
    throw error;
  }

  /** Runs to the end, and is ready to run again. */
  run(): void {
    while (this.step());
    this.reset();
  }

  reset(): void {
    this.#sqlite.sqlite3_reset(this.#pointer);
  }

  /** Parameters are NULL again. */
  clearBindings(): void {
    this.#sqlite.sqlite3_clear_bindings(this.#pointer);
  }

  bindNull(index: number): void {
    this.#sqlite.sqlite3_bind_null(this.#pointer, index);
  }

  bindInteger(index: number, value: number): void {
    this.#sqlite.sqlite3_bind_int(this.#pointer, index, value);
  }

  bindBigInt(index: number, value: bigint): void {
    this.#sqlite.sqlite3_bind_int64(this.#pointer, index, value);
  }

  bindReal(index: number, value: number): void {
    this.#sqlite.sqlite3_bind_double(this.#pointer, index, value);
  }

  /** UTF-8 in SQLite's memory, which must stay until the statement is reset. */
  bindText(index: number, address: Pointer, bytes: number): void {
    this.#sqlite.sqlite3_bind_text(this.#pointer, index, address, bytes, STATIC);
  }

  get columnCount(): number {
    return this.#sqlite.sqlite3_column_count(this.#pointer);
  }

  columnName(column: number): string {
    return this.#database.textAt(this.#sqlite.sqlite3_column_name(this.#pointer, column));
  }

  integer(column: number): number {
    return this.#sqlite.sqlite3_column_int(this.#pointer, column);
  }

  /** Bytes of a text or blob. */
  sizeBytes(column: number): number {
    return this.#sqlite.sqlite3_column_bytes(this.#pointer, column);
  }

  text(column: number): string {
    const address = this.#sqlite.sqlite3_column_text(this.#pointer, column) >>> 0;
    const bytes = this.sizeBytes(column);
    return decoder.decode(this.#database.engine.bytes.subarray(address, address + bytes));
  }

  /** Undefined for a blob. Integers beyond 2^53 are bigint. */
  value(column: number): string | number | bigint | null | undefined {
    switch (this.#type(column)) {
      case INTEGER: {
        const value = this.#sqlite.sqlite3_column_int64(this.#pointer, column);
        const number = Number(value);
        return Number.isSafeInteger(number) ? number : value;
      }
      case FLOAT:
        return this.#sqlite.sqlite3_column_double(this.#pointer, column);
      case TEXT:
        return this.text(column);
      case BLOB:
        return undefined;
      default:
        return null;
    }
  }

  finalize(): void {
    this.#sqlite.sqlite3_finalize(this.#pointer);
  }

  #type(column: number): number {
    return this.#sqlite.sqlite3_column_type(this.#pointer, column);
  }
}
