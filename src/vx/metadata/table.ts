/**
 * The records' metadata in SQLite: written by the metadata index, read by filters and queries. The text of each
 * record lies beside it, in the text store.
 *
 * | table | columns |
 * |---|---|
 * | rows | slot, id, then c0, c1, ...: the values of the keys that have a column |
 * | side | key (its number), slot, value: the values of the keys beyond those |
 *
 * A value is what SQLite's JSON functions make of it: text, integer or real, booleans as 1 and 0, arrays and objects
 * as JSON text without white space.
 */
import type { Database } from "../sql/database.ts";
import { ownName, quoteName } from "../sql/names.ts";
import type { Statement } from "../sql/statement.ts";
import { JsonKind } from "./json-cursor.ts";
import { type Key, Keys } from "./keys.ts";
import { type Member, RecordReader } from "./record-reader.ts";
import { SlotMap } from "./slot-map.ts";
import type { TextStore } from "./text-store.ts";

export const ROWS = ownName("rows");
export const SIDE = ownName("side");

const LARGEST_INTEGER = 2n ** 63n - 1n;
const SLOT = 1;
const ID = 2;
const FIRST_COLUMN = 3;

export class Table {
  readonly keys = new Keys();
  readonly slots = new SlotMap();
  readonly #database: Database;
  /** Of records that have metadata, as they were added. */
  readonly #texts: TextStore;
  readonly #reader: RecordReader;
  #columnsMade = 0;
  #insertRow: Statement;
  readonly #insertSide: Statement;
  readonly #deleteRow: Statement;
  readonly #deleteSide: Statement;
  /** Keys whose count the transaction under way changes. */
  readonly #touched = new Set<Key>();

  constructor(database: Database, texts: TextStore) {
    this.#database = database;
    this.#texts = texts;
    this.#reader = new RecordReader(database.engine, this.keys);
    const [rows, side] = [ROWS, SIDE].map(quoteName);
    database.execute(`
      CREATE TABLE ${rows}(slot INTEGER PRIMARY KEY, id);
      CREATE TABLE ${side}(key INTEGER, slot INTEGER, value, PRIMARY KEY (key, slot)) WITHOUT ROWID;`);
    this.#insertRow = this.#prepareInsertRow();
    this.#insertSide = database.prepare(`INSERT INTO ${side} VALUES (?, ?, ?)`, true);
    this.#deleteRow = database.prepare(`DELETE FROM ${rows} WHERE slot = ?`, true);
    this.#deleteSide = database.prepare(`DELETE FROM ${side} WHERE key = ? AND slot = ?`, true);
  }

  /** Does all of the work or, where it throws, none. Calls `forget` with the keys that no record has any more. */
  change(work: () => void, forget: (key: Key) => void): void {
    const columnsBefore = this.#columnsMade;
    try {
      this.slots.change(() => this.#texts.change(() => this.#database.transaction(work)));
    } catch (error) {
      for (const key of this.#touched) {
        key.pending = 0;
        if (key.records === 0) this.keys.remove(key);
      }
      this.#touched.clear();
      this.#undoColumns(columnsBefore);
      throw error;
    }
    for (const key of this.#touched) {
      key.records += key.pending;
      key.pending = 0;
      if (key.records > 0) continue;
      forget(key);
      this.keys.remove(key);
    }
    this.#touched.clear();
  }

  /** Within a change: takes a record, in place of what the slot held. Gives the bytes of its longest value. */
  write(slot: number, id: bigint, text: string | undefined): number {
    this.remove(slot);
    const bytes = this.#addRow(slot, id, text);
    if (text === undefined) this.#texts.delete(slot);
    else this.#texts.set(slot, this.#database.engine.bytes.subarray(this.#reader.start, this.#reader.end));
    return bytes;
  }

  /** As `write`, of a record whose text is there already. */
  complete(slot: number, id: bigint): number {
    return this.#addRow(slot, id, this.textOf(slot));
  }

  /** Within a change. */
  remove(slot: number): boolean {
    if (!this.slots.has(slot)) return false;
    const text = this.textOf(slot);
    if (text !== undefined) {
      this.#reader.read(text);
      this.#count(-1);
      for (let i = 0; i < this.#reader.memberCount; i++) {
        const { key } = this.#reader.members[i] as Member;
        if (key.column !== undefined) continue;
        this.#deleteSide.bindReal(1, key.number);
        this.#deleteSide.bindInteger(2, slot);
        this.#deleteSide.run();
      }
      this.#texts.delete(slot);
    }
    this.#deleteRow.bindInteger(1, slot);
    this.#deleteRow.run();
    this.slots.remove(slot);
    return true;
  }

  textOf(slot: number): string | undefined {
    return this.#texts.get(slot);
  }

  #addRow(slot: number, id: bigint, text: string | undefined): number {
    if (text === undefined) this.#reader.memberCount = 0;
    else this.#reader.read(text);
    this.#count(1);
    this.#makeColumns();
    this.#writeRow(slot, id);
    this.slots.add(slot);
    return text === undefined ? 0 : this.#reader.end - this.#reader.start;
  }

  #count(change: number): void {
    for (let i = 0; i < this.#reader.memberCount; i++) {
      const { key } = this.#reader.members[i] as Member;
      if (key.pending === 0) this.#touched.add(key);
      key.pending += change;
    }
  }

  #writeRow(slot: number, id: bigint): void {
    const row = this.#insertRow;
    row.clearBindings();
    row.bindInteger(SLOT, slot);
    // Beyond what SQLite's integers hold, ids are real numbers: in order, but not exact.
    if (id <= LARGEST_INTEGER) row.bindBigInt(ID, id);
    else row.bindReal(ID, Number(id));
    for (let i = 0; i < this.#reader.memberCount; i++) {
      const member = this.#reader.members[i] as Member;
      const { column } = member.key;
      if (column === undefined) this.#writeSide(slot, member);
      else this.#bind(row, FIRST_COLUMN + column, member);
    }
    row.run();
  }

  #writeSide(slot: number, member: Member): void {
    const row = this.#insertSide;
    row.clearBindings();
    row.bindReal(1, member.key.number);
    row.bindInteger(2, slot);
    this.#bind(row, 3, member);
    row.run();
  }

  #bind(statement: Statement, index: number, member: Member): void {
    const { key, kind, start, end } = member;
    switch (kind) {
      case JsonKind.false:
      case JsonKind.true:
        key.hasBooleans = true;
        statement.bindInteger(index, kind === JsonKind.true ? 1 : 0);
        break;
      case JsonKind.integer: {
        key.hasNumbers = true;
        const value = this.#reader.shortInteger(member);
        if (value === undefined) bindInteger(statement, index, this.#reader.source(member));
        else statement.bindInteger(index, value);
        break;
      }
      case JsonKind.real:
        key.hasNumbers = true;
        statement.bindReal(index, Number(this.#reader.source(member)));
        break;
      case JsonKind.array:
        key.hasArrays = true;
        statement.bindText(index, start, end - start);
        break;
      case JsonKind.string:
        if (this.#database.engine.bytes[start] === 0x5b) key.hasBracketTexts = true;
        statement.bindText(index, start, end - start);
        break;
      case JsonKind.object:
        statement.bindText(index, start, end - start);
        break;
      default:
        statement.bindNull(index);
    }
  }

  #makeColumns(): void {
    if (this.#columnsMade === this.keys.columnCount) return;
    for (; this.#columnsMade < this.keys.columnCount; this.#columnsMade++) {
      this.#database.execute(`ALTER TABLE ${quoteName(ROWS)} ADD COLUMN c${this.#columnsMade}`);
    }
    this.#renewInsertRow();
  }

  #undoColumns(columns: number): void {
    if (this.#columnsMade === columns) return;
    this.#columnsMade = columns;
    this.keys.shrink(columns);
    this.#renewInsertRow();
  }

  #renewInsertRow(): void {
    this.#insertRow.finalize();
    this.#insertRow = this.#prepareInsertRow();
  }

  #prepareInsertRow(): Statement {
    const values = Array.from({ length: FIRST_COLUMN - 1 + this.#columnsMade }, () => "?");
    return this.#database.prepare(`INSERT INTO ${quoteName(ROWS)} VALUES (${values.join()})`, true);
  }
}

function bindInteger(statement: Statement, index: number, source: string): void {
  const number = Number(source);
  if (Math.abs(number) > 2 ** 64) {
    statement.bindReal(index, number);
    return;
  }
  const value = BigInt(source);
  if (BigInt.asIntN(64, value) === value) statement.bindBigInt(index, value);
  else statement.bindReal(index, number);
}
