/**
 * Records as they were before the batch that is being applied: what searches see of them until all of it is. Kept by a
 * Change; in a batch of many turns their vectors stay in the graph's pinned slots, where searches measure them.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import type { StoredRecord } from "./engine.ts";

export interface FormerRecord {
  id: bigint;
  /** Where vector and metadata lie, while slots are pinned. */
  slot: number;
  /** Copies, where slots are not pinned. */
  copy: StoredRecord | undefined;
}

export class FormerRecords {
  readonly #byId = new Map<bigint, FormerRecord>();
  readonly #slots: SlotSet;

  constructor(slotLimit: number) {
    this.#slots = new SlotSet(slotLimit);
  }

  get size(): number {
    return this.#byId.size;
  }

  get all(): Iterable<FormerRecord> {
    return this.#byId.values();
  }

  add(record: FormerRecord): void {
    this.#byId.set(record.id, record);
    this.#slots.add(record.slot);
  }

  get(id: bigint): FormerRecord | undefined {
    return this.#byId.get(id);
  }

  /** Those of their slots that a filter allows. */
  slots(allow: SlotSet | undefined): SlotSet {
    return allow === undefined ? this.#slots : this.#slots.and(allow);
  }
}
