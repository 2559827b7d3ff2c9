/**
 * The slots that filters and facets let through. Kept by the metadata index. Sets that were asked for are kept and brought up
 * to date by looking at the records that changed since, so that asking again costs next to nothing.
 */
import type { SlotSet } from "../hnsw/slot-set.ts";
import { nextTurn } from "../turns.ts";
import { compileFacets, facetEntries } from "./facets.ts";
import { compileFilter, explainedRefusal } from "./filter.ts";
import {
  type Condition,
  FilterScan,
  type FilterScanParts,
  type FoundSlots,
  type Turns,
} from "./filter-scan.ts";
import { KeptByName } from "./kept-by-name.ts";
import { MAX_CACHED_FILTERS, MAX_KEPT_NAME_CHARS, MIN_SLICE_SLOTS } from "./limits.ts";
import type { Narrowing } from "./metadata-index.ts";
import type { Table } from "./table.ts";

/** A set's name among those that are kept, and its SQL as keys and columns are now. */
interface Wanted {
  name: string;
  compile: () => Condition;
  /** A refusal of its SQL, in words of who asked. */
  explained: (error: unknown) => unknown;
}

export class FilterSets {
  readonly #table: Table;
  readonly #facetFunction: string;
  readonly #scan: FilterScan;
  readonly #kept = new KeptByName<FoundSlots>(MAX_CACHED_FILTERS);
  /** Made in turns and not kept: all who asked for one have it in the same turn. */
  readonly #passing = new Map<string, FoundSlots>();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(parts: FilterScanParts, facetFunction: string) {
    this.#table = parts.table;
    this.#facetFunction = facetFunction;
    this.#scan = new FilterScan(parts);
  }

  of(narrowing: Narrowing): SlotSet {
    return this.#found(narrowing).slots;
  }

  /** Undefined where the same set asked for a moment later could be another one. */
  lasting(narrowing: Narrowing): SlotSet | undefined {
    const { slots, isChanging } = this.#found(narrowing);
    return isChanging ? undefined : slots;
  }

  /** Makes a set in turns, or renews one of which more changed than a slice has, so that `of` gives it at once. */
  async prepare(narrowing: Narrowing, turns: Turns): Promise<void> {
    const wanted = this.#wanted(narrowing);
    const { name } = wanted;
    const { slots } = this.#table;
    const found = this.#known(name);
    if (found !== undefined && slots.version - found.version <= MIN_SLICE_SLOTS) return;
    const known = found !== undefined && slots.knowsSince(found.version) ? found : undefined;
    const running = this.#underWay.get(name) ?? this.#make(wanted, turns, known);
    this.#underWay.set(name, running);
    await running;
  }

  #found(narrowing: Narrowing): FoundSlots {
    const { name, compile, explained } = this.#wanted(narrowing);
    const known = this.#known(name);
    try {
      const found = (known && this.#scan.renewed(known, compile)) ?? this.#scan.whole(compile());
      if (isKept(name, found)) this.#kept.set(name, found);
      return found;
    } catch (error) {
      throw explained(error);
    }
  }

  #known(name: string): FoundSlots | undefined {
    return this.#kept.get(name) ?? this.#passing.get(name);
  }

  async #make({ name, compile, explained }: Wanted, turns: Turns, known?: FoundSlots): Promise<void> {
    try {
      const found = await this.#scan.inTurns(compile, turns, known);
      if (isKept(name, found)) this.#kept.set(name, found);
      else void this.#pass(name, found);
    } catch (error) {
      throw explained(error);
    } finally {
      this.#underWay.delete(name);
    }
  }

  async #pass(name: string, found: FoundSlots): Promise<void> {
    this.#passing.set(name, found);
    await nextTurn();
    if (this.#passing.get(name) === found) this.#passing.delete(name);
  }

  #wanted(narrowing: Narrowing): Wanted {
    const { keys } = this.#table;
    if ("filter" in narrowing) {
      const { filter } = narrowing;
      return {
        name: `filter ${filter}`,
        compile: () => compileFilter(filter, keys),
        explained: (error) => explainedRefusal(error, filter),
      };
    }
    const entries = facetEntries(narrowing.facets);
    const compile = () => compileFacets(entries, keys, this.#facetFunction);
    return { name: `facets ${JSON.stringify(entries)}`, compile, explained: (error) => error };
  }
}

function isKept(name: string, { isChanging }: FoundSlots): boolean {
  return !isChanging && name.length <= MAX_KEPT_NAME_CHARS;
}
