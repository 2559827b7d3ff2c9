/**
 * The metadata of an index, by slot, and what can be asked of it in SQL. Made and kept by the engine, in its thread;
 * everything lies in memory and is rebuilt from what storage/ keeps.
 */
import type { SlotSet } from "../hnsw/slot-set.ts";
import { Database } from "../sql/database.ts";
import type { Turns } from "./filter-scan.ts";
import { JsonScanner } from "./json-scanner.ts";
import { WRITTEN_ROWS } from "./limits.ts";
import { MetadataSql } from "./metadata-sql.ts";
import { runQuery } from "./query.ts";
import { checkMetadata } from "./record-reader.ts";
import { RowsToCome } from "./rows-to-come.ts";
import { TextStore } from "./text-store.ts";

/** A record's metadata: the text of one JSON object, kept exactly, or undefined for none. */
export interface MetadataRecord {
  slot: number;
  id: bigint;
  text: string | undefined;
}

/** Integers beyond 2^53 are bigint. */
export type SqlValue = string | number | bigint | null;

/** A row by column; of columns with one name the later are `name:1`, `name:2`. */
export type Row = Record<string, SqlValue>;

/** What a query gives: 10,000 rows at most. */
export interface FirstRows {
  rows: Row[];
  /** Whether there are more. */
  truncated: boolean;
}

/** A value that a key must have: numbers and booleans stand for their text. */
export type Facets = Record<string, string | number | boolean>;

/** What records must have to be found. */
export type Narrowing =
  /** An SQL expression over metadata. */
  { filter: string } | { facets: Facets };

export class MetadataIndex {
  readonly #texts: TextStore;
  readonly #startSql: () => MetadataSql;
  #started: MetadataSql | undefined;
  readonly #scanner = new JsonScanner();
  #toCome: RowsToCome | undefined;

  private constructor(texts: TextStore, startSql: () => MetadataSql) {
    this.#texts = texts;
    this.#startSql = startSql;
  }

  /** `shared`: other threads can read the texts. SQLite starts with the first row that is written or asked for. */
  static async open({ shared = false } = {}): Promise<MetadataIndex> {
    const texts = new TextStore({ shared });
    const openDatabase = await Database.prepare();
    return new MetadataIndex(texts, () => new MetadataSql(openDatabase(), texts));
  }

  /** @throws VxError `capacity_exceeded` */
  get #sql(): MetadataSql {
    this.#started ??= this.#startSql();
    return this.#started;
  }

  /** Records held, those without metadata too. */
  get count(): number {
    return (this.#started?.table.slots.count ?? 0) + (this.#toCome?.count ?? 0);
  }

  /** The memory of the texts, see Texts. */
  get texts(): WebAssembly.Memory {
    return this.#texts.memory;
  }

  get memoryBytes(): number {
    return (this.#started?.database.engine.memoryBytes ?? 0) + this.#texts.memoryBytes;
  }

  /**
   * Takes a record, in place of what the slot held.
   * @throws VxError `invalid_request` (see checkMetadata), `capacity_exceeded`
   */
  set(slot: number, id: bigint, text: string | undefined): void {
    this.setAll([{ slot, id, text }]);
  }

  /** Starts SQLite, which the first row or filter does else. */
  start(): void {
    void this.#sql;
  }

  /** Takes all records or, where it throws, none. Much faster than one by one. */
  setAll(records: Iterable<MetadataRecord>): void {
    const { guard, table } = this.#sql;
    const written: number[] = [];
    this.#change(() => {
      for (const { slot, id, text } of records) {
        guard.storesValue(table.write(slot, id, text));
        written.push(slot);
      }
    });
    for (const slot of written) this.#toCome?.drop(slot);
  }

  /**
   * Takes a text in UTF-8 for a slot without a row, of a record that `setRowsToCome` then brings.
   * @throws VxError `invalid_request` (see checkMetadata), `capacity_exceeded`
   */
  setText(slot: number, text: Uint8Array<ArrayBuffer>): void {
    checkMetadata(text, this.#scanner);
    this.#texts.set(slot, text);
  }

  /**
   * Takes records, once, whose texts are there if they have metadata: rows are written when they are asked for, or by `tend`,
   * so that searches need not wait for them.
   */
  setRowsToCome(slots: SlotSet, idOf: (slot: number) => bigint): void {
    this.#toCome = new RowsToCome(slots, idOf);
  }

  /** False if the slot held nothing. */
  delete(slot: number): boolean {
    if (this.#toCome?.drop(slot)) {
      this.#texts.delete(slot);
      return true;
    }
    const sql = this.#started;
    if (sql === undefined) return false;
    let isDeleted = false;
    this.#change(() => {
      isDeleted = sql.table.remove(slot);
    });
    return isDeleted;
  }

  /** The text as it was set. */
  get(slot: number): string | undefined {
    return this.#texts.get(slot);
  }

  /** A view of it in UTF-8, until the next change. */
  bytesOf(slot: number): Uint8Array | undefined {
    return this.#texts.bytesOf(slot);
  }

  /**
   * Slots whose record the expression is true for. The set is kept and renewed here: read it before the next
   * change, and do not change it.
   * @throws VxError `invalid_query`
   */
  filter(expression: string): SlotSet {
    this.#writeAllRows();
    return this.#sql.sets.of({ filter: expression });
  }

  /**
   * Slots whose record has every key with its value; what holds for a filter's set holds for this one.
   * @throws VxError `invalid_request`
   */
  facets(facets: Facets): SlotSet {
    this.#writeAllRows();
    return this.#sql.sets.of({ facets });
  }

  /** As the two above, where the set stays right until the next change. */
  lasting(narrowing: Narrowing): SlotSet | undefined {
    this.#writeAllRows();
    return this.#sql.sets.lasting(narrowing);
  }

  /**
   * Makes the set of a filter or facets in turns, as long as it takes, so that the calls above then give it at once.
   * @throws VxError `invalid_query`, `invalid_request`
   */
  async prepare(narrowing: Narrowing, turns: Turns): Promise<void> {
    await this.writeRows(turns);
    await this.#sql.sets.prepare(narrowing, turns);
  }

  /** Writes in turns the rows that are to come, so that no call has to do it at once. */
  async writeRows(turns: Turns): Promise<void> {
    while (this.#writeSomeRows()) if (turns.isOver) await turns.next();
  }

  /** Rows of one SELECT over the table `metadata`. @throws VxError `invalid_query` */
  query(sql: string): FirstRows {
    this.#writeAllRows();
    const { database, guard, view } = this.#sql;
    return runQuery(database, guard, sql, view.renew());
  }

  /**
   * A step of work that is best done when nobody waits, 10 ms at most: rows not written yet, then an index that filters have
   * shown to be wanted. True if there may be more.
   */
  tend(): boolean {
    if (this.#writeSomeRows()) return true;
    const sql = this.#started;
    return sql?.indexes.tend(sql.table.slots.limit) ?? false;
  }

  #writeAllRows(): void {
    while (this.#writeSomeRows()) {}
  }

  /** False if there was none to write. */
  #writeSomeRows(): boolean {
    const toCome = this.#toCome;
    if (toCome === undefined || toCome.count === 0) return false;
    const records = toCome.first(WRITTEN_ROWS);
    const { guard, table } = this.#sql;
    this.#change(() => {
      for (const { slot, id } of records) guard.storesValue(table.complete(slot, id));
    });
    for (const { slot } of records) toCome.drop(slot);
    return true;
  }

  #change(work: () => void): void {
    const { indexes, table } = this.#sql;
    table.change(work, (key) => indexes.drop(key));
  }
}
