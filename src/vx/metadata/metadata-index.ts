/**
 * The metadata of an index, by slot, and what can be asked of it in SQL. Made and kept by the engine, in its thread;
 * everything lies in memory and is rebuilt from what storage/ keeps.
 */
import type { SlotSet } from "../hnsw/slot-set.ts";

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

/** A value that a key must have: numbers and booleans stand for their text. */
export type Facets = Record<string, string | number | boolean>;

export interface MetadataIndex {
  /** Records held, those without metadata too. */
  readonly count: number;
  readonly memoryBytes: number;
  /**
   * Takes a record, in place of what the slot held.
   * @throws VxError `invalid_request` (see checkMetadata), `capacity_exceeded`
   */
  set(slot: number, id: bigint, text: string | undefined): void;
  /** Takes all records or, where it throws, none. Faster than one by one. */
  setAll(records: Iterable<MetadataRecord>): void;
  /** False if the slot held nothing. */
  delete(slot: number): boolean;
  /** The text as it was set. */
  get(slot: number): string | undefined;
  /**
   * Slots whose record the expression is true for. The set is kept and renewed here: read it before the next
   * change, and do not change it.
   * @throws VxError `invalid_query`
   */
  filter(expression: string): SlotSet;
  /** Slots whose record has every key with its value; what holds for a filter's set holds for this one. */
  facets(facets: Facets): SlotSet;
  /** Rows of one SELECT over the table `metadata`, the first 10,000. @throws VxError `invalid_query` */
  query(sql: string): Row[];
  /**
   * Makes an index that filters have shown to be wanted, if there is one: up to a second's work at 1M records, to
   * be done when nobody waits. True if one was made.
   */
  tend(): boolean;
  close(): void;
}
