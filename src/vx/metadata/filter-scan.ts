/**
 * Evaluates a filter or facets over the rows: all at once, slice by slice of slots so that others get their turn, or anew for
 * the slots that changed. Made by the metadata index; called by the filter sets.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import { type Database, StatementTooLong } from "../sql/database.ts";
import type { Guard } from "../sql/guard.ts";
import { STATEMENT_TIME_MS } from "../sql/limits.ts";
import { quoteName } from "../sql/names.ts";
import type { CompiledFilter } from "./filter.ts";
import type { KeyIndexes } from "./key-indexes.ts";
import { MIN_SLICE_SLOTS, SCAN_TIME_MS, SLICE_MS } from "./limits.ts";
import { SliceSize } from "./slice-size.ts";
import { ROWS, type Table } from "./table.ts";

/** SQL of a filter over the rows, and what a row found must pass besides. */
export interface Condition extends CompiledFilter {
  check?: ((metadata: string) => boolean) | undefined;
}

export interface FoundSlots {
  slots: SlotSet;
  /** Of the table's slots, when the set was right. */
  version: number;
  /** The condition asked for the time or for chance. */
  isChanging: boolean;
}

/** Gives others of the thread their turn. */
export interface Turns {
  isOver: boolean;
  next(): Promise<void>;
}

export interface FilterScanParts {
  database: Database;
  guard: Guard;
  table: Table;
  indexes: KeyIndexes;
}

const rows = quoteName(ROWS);

export class FilterScan {
  readonly #parts: FilterScanParts;

  constructor(parts: FilterScanParts) {
    this.#parts = parts;
  }

  /** In one go. @throws VxError `invalid_query`; StatementTooLong */
  whole({ where, compared, check }: Condition, timeMs = STATEMENT_TIME_MS): FoundSlots {
    const { database, guard, table, indexes } = this.#parts;
    const { limit, version } = table.slots;
    const slots = new SlotSet(roomFor(limit));
    const sql = `SELECT r.slot FROM ${rows} r WHERE (${where})`;
    const scan = () => {
      const found = database.prepare(sql);
      try {
        while (found.step()) slots.add(found.integer(0));
        indexes.used(compared, found.scannedRows);
      } catch (error) {
        // As many as it would have looked at.
        if (error instanceof StatementTooLong && found.scannedRows > 0) indexes.used(compared, limit);
        throw error;
      } finally {
        found.finalize();
      }
    };
    const { isChanging } = guard.run(true, scan, timeMs);
    if (check !== undefined) this.#keepChecked(slots, slots.between(0, limit), check);
    return { slots, version, isChanging };
  }

  /**
   * In one go where that takes no longer than a slice, or else in slices. Of a set that is `known` the slots that changed since
   * are looked at anew, some at a time. `compile` is called for each, for keys may come and go between them.
   * @throws what `whole` throws
   */
  async inTurns(compile: () => Condition, turns: Turns, known?: FoundSlots): Promise<FoundSlots> {
    const { slots: records } = this.#parts.table;
    const atOnce = known === undefined ? this.#inSlice(compile()) : undefined;
    if (atOnce !== undefined) return atOnce;
    let found = known ?? emptySet(records);
    /** Slots below this were looked at. */
    let at = known === undefined ? 0 : Number.POSITIVE_INFINITY;
    const size = new SliceSize();
    let leftMs = SCAN_TIME_MS;
    while (at < records.limit || found.version !== records.version) {
      if (turns.isOver) await turns.next();
      if (leftMs <= 0) throw new StatementTooLong();
      const startMs = performance.now();
      const renewed = this.renewed(found, compile, MIN_SLICE_SLOTS);
      if (renewed === undefined) {
        [found, at] = [emptySet(records), 0];
        continue;
      }
      found = renewed;
      const timeMs = size.isLeast ? leftMs : Math.min(leftMs, size.mostMs);
      let isDone = true;
      try {
        if (at < records.limit)
          found.isChanging = this.#slice(compile(), found, [at, at + size.slots], timeMs) || found.isChanging;
        at += size.slots;
      } catch (error) {
        if (!(error instanceof StatementTooLong) || timeMs === leftMs) throw error;
        isDone = false;
      }
      const tookMs = performance.now() - startMs;
      leftMs -= tookMs;
      if (isDone) size.took(tookMs);
      else size.tookTooLong();
    }
    return found;
  }

  /**
   * The set with slots that changed looked at anew, the first `most` changes or all; undefined if those are too many to know.
   * @throws what `whole` throws
   */
  renewed(
    found: FoundSlots,
    compile: () => Condition,
    most = Number.POSITIVE_INFINITY,
  ): FoundSlots | undefined {
    const { database, guard, table } = this.#parts;
    const { slots: records } = table;
    if (found.version === records.version) return found;
    if (!records.knowsSince(found.version)) return undefined;
    const version = Math.min(records.version, found.version + most);
    const changed = records.changed(found.version, version);
    const slots = grown(found.slots, records.limit);
    const { where, check } = compile();
    // One statement for all: in each SQLite sorts the list of an IN anew.
    const sql = `SELECT r.slot FROM json_each('[${[...changed]}]') j CROSS JOIN ${rows} r WHERE r.slot = j.value AND (${where})`;
    const { isChanging } = guard.run(true, () => {
      const matches = database.prepare(sql);
      try {
        for (const slot of changed) slots.remove(slot);
        while (matches.step()) slots.add(matches.integer(0));
      } finally {
        matches.finalize();
      }
    });
    if (check !== undefined) this.#keepChecked(slots, changed, check);
    return { slots, version, isChanging };
  }

  /** All at once, if that takes no longer than a slice; what must be checked besides may. */
  #inSlice(condition: Condition): FoundSlots | undefined {
    if (condition.check !== undefined) return undefined;
    try {
      return this.whole(condition, SLICE_MS);
    } catch (error) {
      if (error instanceof StatementTooLong) return undefined;
      throw error;
    }
  }

  /** Adds what is found from the first slot to before the end. */
  #slice(
    { where, check }: Condition,
    found: FoundSlots,
    [first, end]: [number, number],
    timeMs: number,
  ): boolean {
    const { database, guard } = this.#parts;
    const { slots } = found;
    const sql = `SELECT r.slot FROM ${rows} r WHERE r.slot >= ${first} AND r.slot < ${end} AND (${where})`;
    const scan = () => {
      const statement = database.prepare(sql);
      try {
        while (statement.step()) slots.add(statement.integer(0));
      } finally {
        statement.finalize();
      }
    };
    const { isChanging } = guard.run(true, scan, timeMs);
    if (check !== undefined) this.#keepChecked(slots, slots.between(first, end), check);
    return isChanging;
  }

  #keepChecked(slots: SlotSet, candidates: Iterable<number>, check: (metadata: string) => boolean): void {
    const { table } = this.#parts;
    for (const slot of candidates) {
      if (slots.has(slot) && !check(table.textOf(slot) ?? "{}")) slots.remove(slot);
    }
  }
}

function emptySet({ limit, version }: Table["slots"]): FoundSlots {
  return { slots: new SlotSet(roomFor(limit)), version, isChanging: false };
}

/** Some more than there are, so that a set need not be made anew for each slot added. */
function roomFor(limit: number): number {
  return limit + (limit >>> 3) + 1024;
}

function grown(slots: SlotSet, limit: number): SlotSet {
  if (slots.words.length * 32 >= limit) return slots;
  const larger = new SlotSet(roomFor(limit));
  larger.words.set(slots.words);
  return larger;
}
