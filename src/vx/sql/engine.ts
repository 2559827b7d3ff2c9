/**
 * SQLite in WebAssembly, loaded without its JavaScript: a library that works in memory needs a clock and room to
 * grow, and no files. Started by the database, one a database, so that closing gives all memory back.
 *
 * Source: imports of the package's sqlite3.wasm (emscripten 5.0 and WASI preview 1).
 */
import { bytesOfBase64 } from "../base64.ts";
import { VxError } from "../errors.ts";
import { wrapForTable } from "./callback.ts";
import { MAX_SQLITE_MEMORY_BYTES } from "./limits.ts";

const PAGE_BYTES = 65_536;
/** What emscripten builds SQLite to start with. */
const INITIAL_PAGES = 128;
/** Memory grows by a fifth at least, as emscripten's does. */
const GROWTH = 1.2;
/** "Function not implemented", the same in emscripten's system calls (negative) and WASI (positive). */
const NOT_IMPLEMENTED = 52;

export type Pointer = number;

/** The exports of SQLite that we call; what they do is at https://sqlite.org/c3ref/funclist.html */
export interface SqliteExports {
  __indirect_function_table: WebAssembly.Table;
  __wasm_call_ctors(): void;
  malloc(bytes: number): Pointer;
  free(pointer: Pointer): void;
  sqlite3_initialize(): number;
  sqlite3_open_v2(name: Pointer, database: Pointer, flags: number, vfs: Pointer): number;
  sqlite3__wasm_db_config_ip(database: Pointer, option: number, on: number, out: Pointer): number;
  sqlite3_status64(operation: number, current: Pointer, highest: Pointer, reset: number): number;
  sqlite3_drop_modules(database: Pointer, keep: Pointer): number;
  sqlite3_limit(database: Pointer, limit: number, value: number): number;
  sqlite3_set_authorizer(database: Pointer, callback: number, data: Pointer): number;
  sqlite3_progress_handler(database: Pointer, operations: number, callback: number, data: Pointer): void;
  sqlite3_create_function_v2(
    database: Pointer,
    name: Pointer,
    argumentCount: number,
    flags: number,
    data: Pointer,
    callback: number,
    step: number,
    final: number,
    destroy: number,
  ): number;
  sqlite3_get_autocommit(database: Pointer): number;
  sqlite3_errmsg(database: Pointer): Pointer;
  sqlite3_exec(database: Pointer, sql: Pointer, callback: number, data: Pointer, error: Pointer): number;
  sqlite3_prepare_v3(
    database: Pointer,
    sql: Pointer,
    bytes: number,
    flags: number,
    statement: Pointer,
    tail: Pointer,
  ): number;
  sqlite3_stmt_readonly(statement: Pointer): number;
  sqlite3_stmt_status(statement: Pointer, counter: number, reset: number): number;
  sqlite3_step(statement: Pointer): number;
  sqlite3_reset(statement: Pointer): number;
  sqlite3_clear_bindings(statement: Pointer): number;
  sqlite3_finalize(statement: Pointer): number;
  sqlite3_bind_null(statement: Pointer, index: number): number;
  sqlite3_bind_int(statement: Pointer, index: number, value: number): number;
  sqlite3_bind_int64(statement: Pointer, index: number, value: bigint): number;
  sqlite3_bind_double(statement: Pointer, index: number, value: number): number;
  sqlite3_bind_text(statement: Pointer, index: number, text: Pointer, bytes: number, destroy: number): number;
  sqlite3_column_count(statement: Pointer): number;
  sqlite3_column_name(statement: Pointer, column: number): Pointer;
  sqlite3_column_type(statement: Pointer, column: number): number;
  sqlite3_column_int(statement: Pointer, column: number): number;
  sqlite3_column_int64(statement: Pointer, column: number): bigint;
  sqlite3_column_double(statement: Pointer, column: number): number;
  sqlite3_column_text(statement: Pointer, column: number): Pointer;
  sqlite3_column_bytes(statement: Pointer, column: number): number;
  sqlite3_value_int64(value: Pointer): bigint;
  sqlite3_value_type(value: Pointer): number;
  sqlite3_value_double(value: Pointer): number;
  sqlite3_value_text(value: Pointer): Pointer;
  sqlite3_value_bytes(value: Pointer): number;
  sqlite3_result_int(context: Pointer, value: number): void;
  sqlite3_result_null(context: Pointer): void;
  sqlite3_result_text(context: Pointer, text: Pointer, bytes: number, destroy: number): void;
  sqlite3_result_error(context: Pointer, message: Pointer, bytes: number): void;
  sqlite3_strlike(pattern: Pointer, text: Pointer, escapeCode: number): number;
  sqlite3_strglob(pattern: Pointer, text: Pointer): number;
}

let compiled: Promise<WebAssembly.Module> | undefined;
let compile = compileEmbedded;

/** For hosts that have SQLite's WebAssembly as a file: says how to get it. To be called before the first database is opened. */
export function provideSqlite(load: () => Promise<WebAssembly.Module>): void {
  compile = load;
}

/** Compiled once; instances share the code. */
async function sqliteModule(): Promise<WebAssembly.Module> {
  compiled ??= compile();
  try {
    return await compiled;
  } catch (error) {
    compiled = undefined;
    throw error;
  }
}

/** Loaded on demand, so that those who provide a file do not carry the text. */
async function compileEmbedded(): Promise<WebAssembly.Module> {
  const { sqliteBase64 } = await import("./build/sqlite-wasm.ts");
  return WebAssembly.compile(bytesOfBase64(sqliteBase64));
}

export class SqliteEngine {
  readonly #memory = new WebAssembly.Memory({
    initial: INITIAL_PAGES,
    maximum: MAX_SQLITE_MEMORY_BYTES / PAGE_BYTES,
  });
  readonly exports: SqliteExports;
  /** Bytes that memory may grow to; lowered while a stranger's statement runs. */
  mostBytes = MAX_SQLITE_MEMORY_BYTES;
  #bytes = new Uint8Array(this.#memory.buffer);
  #view = new DataView(this.#memory.buffer);

  private constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, this.#imports(module));
    this.exports = instance.exports as unknown as SqliteExports;
    this.exports.__wasm_call_ctors();
    const code = this.exports.sqlite3_initialize();
    if (code !== 0) throw new VxError("internal", `SQLite does not start (code ${code})`);
  }

  /** Gives what starts instances at once, or throws VxError `capacity_exceeded`. */
  static async prepare(): Promise<() => SqliteEngine> {
    const module = await sqliteModule();
    return () => {
      try {
        return new SqliteEngine(module);
      } catch (error) {
        // What WebAssembly throws where the machine has no memory.
        if (error instanceof RangeError) throw new VxError("capacity_exceeded", "No memory for metadata");
        throw error;
      }
    };
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** All memory; to be taken anew after any call that may grow it. */
  get bytes(): Uint8Array<ArrayBuffer> {
    // Growing leaves the views of before without a length; asking the memory itself takes far longer.
    if (this.#bytes.length === 0) this.#renewViews();
    return this.#bytes;
  }

  get view(): DataView {
    if (this.#bytes.length === 0) this.#renewViews();
    return this.#view;
  }

  /** @throws VxError `capacity_exceeded` */
  allocate(bytes: number): Pointer {
    const pointer = this.exports.malloc(bytes) >>> 0;
    if (pointer === 0) throw new VxError("capacity_exceeded", "No memory for more metadata");
    return pointer;
  }

  pointerAt(address: Pointer): Pointer {
    return this.view.getUint32(address, true);
  }

  /** Makes a function callable from C, by the number given. `parameters`: a letter each, i for i32, I for i64. */
  addFunction(callback: (...args: number[]) => number | undefined, parameters: string, hasResult: boolean) {
    const table = this.exports.__indirect_function_table;
    const index = table.grow(1);
    table.set(index, wrapForTable(callback, parameters, hasResult));
    return index;
  }

  #renewViews(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer);
    this.#view = new DataView(this.#memory.buffer);
  }

  #imports(module: WebAssembly.Module): WebAssembly.Imports {
    const known: WebAssembly.ModuleImports = {
      memory: this.#memory,
      emscripten_date_now: () => Date.now(),
      emscripten_get_now: () => performance.now(),
      emscripten_get_heap_max: () => MAX_SQLITE_MEMORY_BYTES,
      emscripten_resize_heap: (bytes: number) => this.#grow(bytes >>> 0),
      clock_time_get: (_clock: number, _precision: bigint, out: Pointer) => {
        this.view.setBigInt64(out, BigInt(Date.now()) * 1_000_000n, true);
        return 0;
      },
      environ_sizes_get: (count: Pointer, bytes: Pointer) => {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(bytes, 0, true);
        return 0;
      },
      environ_get: () => 0,
      _tzset_js: () => undefined,
      _localtime_js: (time: bigint, out: Pointer) => this.#writeTime(new Date(Number(time) * 1000), out),
    };
    const imports: Record<string, WebAssembly.ModuleImports> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      const refusal = from === "env" ? -NOT_IMPLEMENTED : NOT_IMPLEMENTED;
      imports[from] ??= {};
      imports[from][name] = known[name] ?? (() => refusal);
    }
    return imports;
  }

  #grow(bytes: number): number {
    const most = Math.min(this.mostBytes, MAX_SQLITE_MEMORY_BYTES);
    if (bytes > most) return 0;
    const wanted = Math.min(most, Math.max(bytes, this.memoryBytes * GROWTH));
    try {
      this.#memory.grow(Math.ceil((wanted - this.memoryBytes) / PAGE_BYTES));
      return 1;
    } catch (error) {
      // The machine has no more: malloc then gives 0, which SQLite reports.
      if (error instanceof RangeError) return 0;
      throw error;
    }
  }

  /** A C `struct tm`. Local time is UTC, so that a filter means the same on every machine. */
  #writeTime(time: Date, out: Pointer): void {
    const newYear = Date.UTC(time.getUTCFullYear(), 0, 1);
    const fields = [
      time.getUTCSeconds(),
      time.getUTCMinutes(),
      time.getUTCHours(),
      time.getUTCDate(),
      time.getUTCMonth(),
      time.getUTCFullYear() - 1900,
      time.getUTCDay(),
      Math.floor((time.getTime() - newYear) / 86_400_000),
      0,
      0,
    ];
    fields.forEach((field, index) => {
      this.view.setInt32(out + index * 4, field, true);
    });
  }
}
