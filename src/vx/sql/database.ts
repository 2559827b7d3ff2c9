/**
 * One SQLite database in memory, which goes when it is let go of. Opened by the metadata index; what a stranger may
 * do in it, the guard says.
 * Source: https://sqlite.org/c3ref/intro.html
 */
import { VxError } from "../errors.ts";
import { type Pointer, SqliteEngine } from "./engine.ts";
import {
  ANALYZED_ROWS,
  MAX_COMPOUND_SELECTS,
  MAX_EXPRESSION_DEPTH,
  MAX_FUNCTION_ARGUMENTS,
  MAX_OPERATIONS,
} from "./limits.ts";
import { Statement } from "./statement.ts";

const OPEN_FLAGS = 0x2 | 0x4 | 0x8000; // read and write, create, no mutex
const PREPARE_PERSISTENT = 1;

/** A commit visits every page of a database in memory: large pages are few. */
const PAGE_BYTES = 32_768;

const NO_MEMORY = 7;
const INTERRUPTED = 9;
const TOO_BIG = 18;
const NOT_ALLOWED = 23;

/** https://sqlite.org/c3ref/c_dbconfig_defensive.html */
const DB_CONFIG = { loadExtension: 1005, defensive: 1010, doubleQuotedDml: 1013, doubleQuotedDdl: 1014 };
/** https://sqlite.org/c3ref/c_limit_attached.html */
const LIMIT = { length: 0, expressionDepth: 3, compoundSelect: 4, operations: 5, arguments: 6, attached: 7 };
const MEMORY_USED = 0;

/** UTF-8, deterministic. */
const FUNCTION_FLAGS = 0x801;
/** https://sqlite.org/c3ref/c_deterministic.html: without it no view may call a function. */
const INNOCUOUS = 0x200000;

/** What a statement says that its deadline stopped. */
export const TOO_LONG = "The statement takes too long";

/** A statement that its deadline stopped. */
export class StatementTooLong extends VxError {
  constructor() {
    super("invalid_query", TOO_LONG);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Database {
  readonly engine: SqliteEngine;
  readonly pointer: Pointer;
  /** When the statement that runs must end, by performance.now(). */
  deadlineMs = Number.POSITIVE_INFINITY;
  /** Where pointers come out. */
  readonly #out: Pointer;
  readonly #begin: Statement;
  readonly #commit: Statement;

  private constructor(engine: SqliteEngine) {
    this.engine = engine;
    this.#out = engine.allocate(16);
    this.#check(
      this.#withText(":memory:", (name) => engine.exports.sqlite3_open_v2(name, this.#out, OPEN_FLAGS, 0)),
    );
    this.pointer = engine.pointerAt(this.#out);
    this.#configure();
    this.#begin = this.prepare("BEGIN", true);
    this.#commit = this.prepare("COMMIT", true);
  }

  static async open(): Promise<Database> {
    return (await Database.prepare())();
  }

  /** Gives what opens databases at once. */
  static async prepare(): Promise<() => Database> {
    const startEngine = await SqliteEngine.prepare();
    return () => new Database(startEngine());
  }

  /** Bytes that SQLite holds, of the memory it has. */
  get usedBytes(): number {
    this.engine.exports.sqlite3_status64(MEMORY_USED, this.#out, this.#out + 8, 0);
    return Number(this.engine.view.getBigInt64(this.#out, true));
  }

  /** Runs statements of our own. */
  execute(sql: string): void {
    this.#check(this.#withText(sql, (text) => this.engine.exports.sqlite3_exec(this.pointer, text, 0, 0, 0)));
  }

  /** Prepares one statement; what follows it is an error. `persistent`: it will be run many times. */
  prepare(sql: string, persistent = false): Statement {
    return this.#withText(sql, (text, bytes) => {
      const flags = persistent ? PREPARE_PERSISTENT : 0;
      const tail = this.#out + 8;
      this.#check(
        this.engine.exports.sqlite3_prepare_v3(this.pointer, text, bytes + 1, flags, this.#out, tail),
      );
      const statement = new Statement(this, this.engine.pointerAt(this.#out));
      if (this.engine.pointerAt(this.#out) !== 0 && this.engine.pointerAt(tail) === text + bytes)
        return statement;
      statement.finalize();
      throw new VxError("invalid_query", "One statement is taken at a time");
    });
  }

  /** All of the work, or where it throws nothing of it. */
  transaction(work: () => void): void {
    this.#begin.run();
    try {
      work();
      this.#commit.run();
    } catch (error) {
      // Out of memory, SQLite has rolled back itself.
      if (this.engine.exports.sqlite3_get_autocommit(this.pointer) === 0) this.execute("ROLLBACK");
      throw error;
    }
  }

  /** Makes a scalar function; `call` gets its context, the count of arguments and where their pointers lie. */
  addFunction(
    name: string,
    argumentCount: number,
    call: (context: Pointer, count: number, values: Pointer) => undefined,
    { inViews = false } = {},
  ): void {
    const flags = inViews ? FUNCTION_FLAGS | INNOCUOUS : FUNCTION_FLAGS;
    const index = this.engine.addFunction(call, "iii", false);
    this.#check(
      this.#withText(name, (text) =>
        this.engine.exports.sqlite3_create_function_v2(
          ...([this.pointer, text, argumentCount, flags, 0, index, 0, 0, 0] as const),
        ),
      ),
    );
  }

  /** Fails the function that is running. */
  failFunction(context: Pointer, message: string): void {
    this.#withText(message, (text) => this.engine.exports.sqlite3_result_error(context, text, -1));
  }

  /** The longest value, in bytes, that a statement may make; -1 leaves it. Gives the limit that was. */
  limitLength(bytes: number): number {
    return this.engine.exports.sqlite3_limit(this.pointer, LIMIT.length, bytes);
  }

  textAt(address: Pointer): string {
    const start = address >>> 0;
    return decoder.decode(this.engine.bytes.subarray(start, this.engine.bytes.indexOf(0, start)));
  }

  /** What SQLite's code and message mean to who called. */
  error(code: number): VxError {
    switch (code & 0xff) {
      case NO_MEMORY:
        return new VxError("capacity_exceeded", "No memory for more metadata");
      case INTERRUPTED:
        return new StatementTooLong();
      case TOO_BIG:
        return new VxError("invalid_query", "The statement, or a value it makes, is too long");
      case NOT_ALLOWED:
        return new VxError("invalid_query", "Nothing but the metadata can be read");
      default:
        return this.#otherError(this.textAt(this.engine.exports.sqlite3_errmsg(this.pointer)));
    }
  }

  /** Functions of our own say by their message what SQLite has codes for. */
  #otherError(message: string): VxError {
    return message === TOO_LONG ? new StatementTooLong() : new VxError("invalid_query", message);
  }

  #configure(): void {
    const { exports } = this.engine;
    const configure = (option: number, on: number) =>
      this.#check(exports.sqlite3__wasm_db_config_ip(this.pointer, option, on, 0));
    configure(DB_CONFIG.loadExtension, 0);
    configure(DB_CONFIG.defensive, 1);
    configure(DB_CONFIG.doubleQuotedDml, 0);
    configure(DB_CONFIG.doubleQuotedDdl, 0);
    const limit = (which: number, value: number) => exports.sqlite3_limit(this.pointer, which, value);
    limit(LIMIT.expressionDepth, MAX_EXPRESSION_DEPTH);
    limit(LIMIT.compoundSelect, MAX_COMPOUND_SELECTS);
    limit(LIMIT.operations, MAX_OPERATIONS);
    limit(LIMIT.arguments, MAX_FUNCTION_ARGUMENTS);
    limit(LIMIT.attached, 0);
    this.execute(`PRAGMA page_size = ${PAGE_BYTES}`);
    this.execute("PRAGMA journal_mode = MEMORY; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF;");
    // A table may take the place of another that a view names.
    this.execute("PRAGMA legacy_alter_table = ON");
    this.execute(`PRAGMA analysis_limit = ${ANALYZED_ROWS}`);
  }

  #check(code: number): void {
    if (code !== 0) throw this.error(code);
  }

  #withText<T>(text: string, use: (address: Pointer, bytes: number) => T): T {
    const address = this.engine.allocate(text.length * 3 + 1);
    try {
      const { written } = encoder.encodeInto(
        text,
        this.engine.bytes.subarray(address, address + text.length * 3),
      );
      this.engine.bytes[address + written] = 0;
      return use(address, written);
    } finally {
      this.engine.exports.free(address);
    }
  }
}
