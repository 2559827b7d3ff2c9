/** Arguments and results of SQL functions that are written here. Called by the functions of text and of arrays. */
import type { Database } from "./database.ts";
import type { Pointer, SqliteExports } from "./engine.ts";

export const ValueType = { integer: 1, real: 2, text: 3, blob: 4, null: 5 } as const;

const TRANSIENT = -1;
const POINTER_BYTES = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** One call of a function: what it was given, and what it gives. */
export class FunctionCall {
  /** Arguments. */
  count = 0;
  readonly #database: Database;
  readonly #sqlite: SqliteExports;
  readonly #values: Pointer[] = [];
  #context: Pointer = 0;

  constructor(database: Database) {
    this.#database = database;
    this.#sqlite = database.engine.exports;
  }

  /** Takes up the next call. */
  open(context: Pointer, count: number, values: Pointer): void {
    this.#context = context;
    this.count = count;
    const { view } = this.#database.engine;
    for (let i = 0; i < count; i++) this.#values[i] = view.getUint32(values + i * POINTER_BYTES, true);
  }

  type(argument: number): number {
    return this.#sqlite.sqlite3_value_type(this.#value(argument));
  }

  get hasNull(): boolean {
    for (let i = 0; i < this.count; i++) if (this.type(i) === ValueType.null) return true;
    return false;
  }

  /** Where an argument's text lies, whatever its type, with a NUL behind it. Before its size. */
  address(argument: number): Pointer {
    return this.#sqlite.sqlite3_value_text(this.#value(argument)) >>> 0;
  }

  /**
   * Has every text where it stays. SQLite may move one when it is first asked where it lies, and grow its memory for that, after
   * which bytes taken before are of no more use.
   */
  settleTexts(): void {
    for (let i = 0; i < this.count; i++) if (this.type(i) === ValueType.text) this.address(i);
  }

  sizeBytes(argument: number): number {
    return this.#sqlite.sqlite3_value_bytes(this.#value(argument));
  }

  text(argument: number): string {
    const address = this.address(argument);
    return decoder.decode(this.bytes.subarray(address, address + this.sizeBytes(argument)));
  }

  real(argument: number): number {
    return this.#sqlite.sqlite3_value_double(this.#value(argument));
  }

  integer(argument: number): bigint {
    return this.#sqlite.sqlite3_value_int64(this.#value(argument));
  }

  /** SQLite's memory, to be taken after the addresses in it. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#database.engine.bytes;
  }

  giveNull(): undefined {
    this.#sqlite.sqlite3_result_null(this.#context);
  }

  giveInteger(value: number): undefined {
    this.#sqlite.sqlite3_result_int(this.#context, value);
  }

  giveText(text: string): undefined {
    return this.giveEncoded(encoder.encode(text));
  }

  /** A text in UTF-8. */
  giveEncoded(encoded: Uint8Array): undefined {
    this.withEncoded(encoded, (address) => {
      this.#sqlite.sqlite3_result_text(this.#context, address, encoded.length, TRANSIENT);
    });
  }

  /** Lays a text in UTF-8 into SQLite's memory, a NUL behind it, while `use` runs; fails where there is no room. */
  withEncoded(encoded: Uint8Array, use: (address: Pointer) => void): undefined {
    const address = this.#sqlite.malloc(encoded.length + 1) >>> 0;
    if (address === 0) return this.fail("The statement takes too much memory");
    this.bytes.set(encoded, address);
    this.bytes[address + encoded.length] = 0;
    use(address);
    this.#sqlite.free(address);
  }

  fail(message: string): undefined {
    this.#database.failFunction(this.#context, message);
  }

  #value(argument: number): Pointer {
    return this.#values[argument] as Pointer;
  }
}
