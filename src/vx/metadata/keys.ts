/**
 * The keys of all records: which of them has a column, and how many records have it. Kept by the table; read by the
 * compilers of filters, facets and queries. A key goes with the last record that has it.
 */
import { VxError } from "../errors.ts";
import { MAX_COLUMNS, MAX_KEYS } from "./limits.ts";

export class Key {
  readonly name: string;
  /** Its name among the rows of keys without a column; grows from the oldest key to the newest. */
  readonly number: number;
  /** As it stands in JSON, unless there it has escapes. */
  readonly bytes: Uint8Array;
  /** Which column of the table is its own, if one is. */
  readonly column: number | undefined;
  /** Records that have it. */
  records = 0;
  /** What the transaction under way adds to those. */
  pending = 0;
  /** Whether any value ever was a boolean, which its column shows as a number, or a number. */
  hasBooleans = false;
  hasNumbers = false;
  /** Whether any value ever was an array, which its column shows as text. */
  hasArrays = false;
  /** Whether any value ever was a string that looks like an array. */
  hasBracketTexts = false;
  /** No record has it any more, and its column may be another's. */
  isGone = false;
  /** Scans that compared it for want of an index. */
  scans = 0;
  /** The record last read that has it, and where in that. */
  lastRecord = 0;
  lastMember = 0;

  constructor(name: string, number: number, column: number | undefined) {
    this.name = name;
    this.number = number;
    this.column = column;
    this.bytes = encoder.encode(name);
  }
}

const encoder = new TextEncoder();

export class Keys {
  /** Columns that the table must have. */
  columnCount = 0;
  /** Grows when a key comes or goes. */
  version = 0;
  readonly #byName = new Map<string, Key>();
  /** Columns whose key is gone: all NULL. */
  readonly #freeColumns: number[] = [];
  #nextNumber = 1;

  get(name: string): Key | undefined {
    return this.#byName.get(name);
  }

  /** The oldest first. */
  [Symbol.iterator](): Iterator<Key> {
    return this.#byName.values();
  }

  /** @throws VxError `capacity_exceeded` */
  add(name: string): Key {
    if (this.#byName.size >= MAX_KEYS) {
      throw new VxError("capacity_exceeded", `Metadata may have ${MAX_KEYS} different keys in all`);
    }
    const key = new Key(name, this.#nextNumber++, this.#takeColumn());
    this.#byName.set(name, key);
    this.version += 1;
    return key;
  }

  remove(key: Key): void {
    if (key.isGone) return;
    key.isGone = true;
    this.#byName.delete(key.name);
    this.version += 1;
    if (key.column !== undefined && key.column < this.columnCount) this.#freeColumns.push(key.column);
  }

  /** Takes back the columns beyond these, whose keys are gone. */
  shrink(columnCount: number): void {
    this.columnCount = columnCount;
    for (let i = this.#freeColumns.length - 1; i >= 0; i--) {
      if ((this.#freeColumns[i] as number) >= columnCount) this.#freeColumns.splice(i, 1);
    }
  }

  #takeColumn(): number | undefined {
    const free = this.#freeColumns.pop();
    if (free !== undefined) return free;
    return this.columnCount < MAX_COLUMNS ? this.columnCount++ : undefined;
  }
}
