/**
 * The slots that a filter or facets let through. Kept by the metadata index. Sets that were asked for are kept and
 * brought up to date by looking at the records that changed since, so that asking again costs next to nothing.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import type { Database } from "../sql/database.ts";
import type { Guard } from "../sql/guard.ts";
import { MAX_CACHED_FILTER_CHARS, MAX_CACHED_FILTERS } from "../sql/limits.ts";
import { quoteName } from "../sql/names.ts";
import { compileFacets, facetEntries } from "./facets.ts";
import { type CompiledFilter, compileFilter } from "./filter.ts";
import type { KeyIndexes } from "./key-indexes.ts";
import type { Facets } from "./metadata-index.ts";
import { ROWS, type Table } from "./table.ts";

/** SQL of a filter over the rows, and what a row found must pass besides. */
interface Condition extends CompiledFilter {
  check?: ((metadata: string) => boolean) | undefined;
}

interface KeptSet {
  slots: SlotSet;
  /** Of the slots, when the set was right. */
  version: number;
}

export class FilterSets {
  readonly #database: Database;
  readonly #guard: Guard;
  readonly #table: Table;
  readonly #indexes: KeyIndexes;
  readonly #facetFunction: string;
  /** The least lately asked for first. */
  readonly #kept = new Map<string, KeptSet>();

  constructor(database: Database, guard: Guard, table: Table, indexes: KeyIndexes, facetFunction: string) {
    this.#database = database;
    this.#guard = guard;
    this.#table = table;
    this.#indexes = indexes;
    this.#facetFunction = facetFunction;
  }

  ofFilter(expression: string): SlotSet {
    return this.#slots(`filter ${expression}`, () => compileFilter(expression, this.#table.keys));
  }

  ofFacets(facets: Facets): SlotSet {
    const entries = facetEntries(facets);
    return this.#slots(`facets ${JSON.stringify(entries)}`, () =>
      compileFacets(entries, this.#table.keys, this.#facetFunction),
    );
  }

  #slots(name: string, compile: () => Condition): SlotSet {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    const { version } = this.#table.slots;
    const slots = this.#renewed(kept, compile) ?? this.#scan(compile());
    if (slots.isChanging || name.length > MAX_CACHED_FILTER_CHARS) return slots.result;
    this.#kept.set(name, { slots: slots.result, version });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_CACHED_FILTERS && oldest !== undefined) this.#kept.delete(oldest);
    return slots.result;
  }

  /** A kept set with the slots that changed looked at anew; nothing if there is none, or too much changed. */
  #renewed(kept: KeptSet | undefined, compile: () => Condition) {
    if (kept === undefined) return undefined;
    const { slots: records } = this.#table;
    if (kept.version === records.version) return { result: kept.slots, isChanging: false };
    const changed = records.changedSince(kept.version);
    if (changed === undefined) return undefined;
    const slots = grown(kept.slots, records.limit);
    const { where, check } = compile();
    const renewed = this.#guard.run(true, () => {
      const row = this.#database.prepare(
        `SELECT 1 FROM ${quoteName(ROWS)} r WHERE r.slot = ?1 AND (${where})`,
      );
      try {
        for (const slot of changed) {
          row.bindInteger(1, slot);
          const isIn = row.step();
          row.reset();
          if (isIn) slots.add(slot);
          else remove(slots, slot);
        }
      } finally {
        row.finalize();
      }
      return slots;
    });
    this.#keepChecked(slots, changed, check);
    return renewed;
  }

  #scan({ where, compared, check }: Condition) {
    const slots = new SlotSet(roomFor(this.#table.slots.limit));
    const found: number[] = [];
    const scanned = this.#guard.run(true, () => {
      const rows = this.#database.prepare(`SELECT r.slot FROM ${quoteName(ROWS)} r WHERE (${where})`);
      try {
        while (rows.step()) {
          slots.add(rows.integer(0));
          if (check !== undefined) found.push(rows.integer(0));
        }
        this.#indexes.used(compared, rows.scannedRows);
      } finally {
        rows.finalize();
      }
      return slots;
    });
    this.#keepChecked(slots, found, check);
    return scanned;
  }

  #keepChecked(slots: SlotSet, candidates: Iterable<number>, check: Condition["check"]): void {
    if (check === undefined) return;
    for (const slot of candidates) {
      if (slots.has(slot) && !check(this.#table.textOf(slot) ?? "{}")) remove(slots, slot);
    }
  }
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

function remove(slots: SlotSet, slot: number): void {
  const word = slots.words[slot >>> 5];
  if (word !== undefined) slots.words[slot >>> 5] = word & ~(1 << (slot & 31));
}
