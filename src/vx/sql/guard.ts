/**
 * What a stranger's statement may do: read the metadata, for so long, with so much memory. Made by the metadata
 * index for its database; runs every filter and query.
 * Source: https://sqlite.org/c3ref/set_authorizer.html, progress_handler.html; https://sqlite.org/security.html
 */
import { VxError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { Pointer } from "./engine.ts";
import {
  CLOCK_OPERATIONS,
  MAX_SQLITE_MEMORY_BYTES,
  MIN_VALUE_BYTES,
  STATEMENT_MEMORY_BYTES,
  STATEMENT_TIME_MS,
} from "./limits.ts";
import { changingFunctions, queryFunctions, tableFunctions } from "./words.ts";

const ALLOW = 0;
const DENY = 1;

/** https://sqlite.org/c3ref/c_alter_table.html */
const READ = 20;
const SELECT = 21;
const FUNCTION = 31;
const RECURSIVE = 33;

export interface GuardOptions {
  /** Tables of our own, which the SQL that we make of a filter names itself. */
  ownTables: ReadonlySet<string>;
  /** The view of them that a query names. */
  view: string;
  /** The function that facets call. */
  ownFunction: string;
  /** The function that the view calls. */
  viewFunction: string;
}

export interface Guarded<T> {
  result: T;
  /** It asked for the time or for chance: the same statement may say something else next time. */
  isChanging: boolean;
}

export class Guard {
  readonly #database: Database;
  readonly #options: GuardOptions;
  readonly #clock: number;
  #isOn = false;
  #isChanging = false;
  #mayNameTables = false;
  #isRecursive = false;
  /** Bytes of the longest value stored, which a stranger's statement must be able to read. */
  #longestBytes = MIN_VALUE_BYTES;

  constructor(database: Database, options: GuardOptions) {
    this.#database = database;
    this.#options = options;
    const { engine, pointer } = database;
    engine.exports.sqlite3_drop_modules(pointer, 0);
    const authorizer = engine.addFunction((...args) => this.#authorize(args), "iiiiii", true);
    engine.exports.sqlite3_set_authorizer(pointer, authorizer, 0);
    this.#clock = engine.addFunction(() => (performance.now() > database.deadlineMs ? 1 : 0), "i", true);
  }

  storesValue(bytes: number): void {
    this.#longestBytes = Math.max(this.#longestBytes, bytes);
  }

  /**
   * Runs what a stranger wrote, from preparing it to its last row. `mayNameTables`: it was compiled to SQL that
   * names our own tables.
   * @throws VxError `invalid_query`; StatementTooLong
   */
  run<T>(mayNameTables: boolean, work: () => T, timeMs = STATEMENT_TIME_MS): Guarded<T> {
    const { engine, pointer } = this.#database;
    const lengthBefore = this.#database.limitLength(this.#longestBytes + MIN_VALUE_BYTES);
    this.#mayNameTables = mayNameTables;
    this.#isChanging = false;
    this.#isRecursive = false;
    this.#isOn = true;
    this.#database.deadlineMs = performance.now() + timeMs;
    engine.mostBytes = Math.max(engine.memoryBytes, this.#database.usedBytes + STATEMENT_MEMORY_BYTES);
    engine.exports.sqlite3_progress_handler(pointer, CLOCK_OPERATIONS, this.#clock, 0);
    try {
      return { result: work(), isChanging: this.#isChanging };
    } catch (error) {
      if (this.#isRecursive) {
        throw new VxError("invalid_query", "A common table can't be made of its own rows", { cause: error });
      }
      if (error instanceof VxError && error.code === "capacity_exceeded") {
        throw new VxError("invalid_query", "The statement takes too much memory", { cause: error });
      }
      throw error;
    } finally {
      engine.exports.sqlite3_progress_handler(pointer, 0, 0, 0);
      engine.mostBytes = MAX_SQLITE_MEMORY_BYTES;
      this.#database.deadlineMs = Number.POSITIVE_INFINITY;
      this.#isOn = false;
      this.#database.limitLength(lengthBefore);
    }
  }

  #authorize([, action, third, fourth, , inner]: number[]): number {
    if (!this.#isOn) return ALLOW;
    if (action === SELECT) return ALLOW;
    if (action === READ)
      return this.#mayRead(this.#text(third), this.#text(fourth), this.#text(inner)) ? ALLOW : DENY;
    if (action === FUNCTION) return this.#mayCall(this.#text(fourth), this.#text(inner)) ? ALLOW : DENY;
    if (action === RECURSIVE) this.#isRecursive = true;
    return DENY;
  }

  #mayRead(table: string, column: string, inner: string): boolean {
    const { ownTables, view } = this.#options;
    if (ownTables.has(table)) return this.#mayNameTables || inner === view || column === "";
    if (table === view || tableFunctions.has(table)) return true;
    // Whatever has no column read is named here so: a common table, or ours for a count, when the view is left out.
    return column === "" && !/^(sqlite|pragma)_/i.test(table);
  }

  #mayCall(name: string, inner: string): boolean {
    const { ownFunction, view, viewFunction } = this.#options;
    const lower = name.toLowerCase();
    if (changingFunctions.has(lower)) this.#isChanging = true;
    if (name === viewFunction) return inner === view;
    return queryFunctions.has(lower) || (this.#mayNameTables && name === ownFunction);
  }

  #text(address: Pointer | undefined): string {
    return address === undefined || address === 0 ? "" : this.#database.textAt(address);
  }
}
