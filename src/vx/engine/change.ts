/**
 * One batch on its way into graph and metadata. Made by the Applier; while others may read before all of it is in,
 * HeldRecords have it, by which they look past it.
 *
 *   graph, operation by operation    new slots are hidden, records that are replaced stay as former ones
 *   rows of new slots                in chunks
 *   the change is over               from here searches see the new records, and only them
 *   rows of slots left behind        dropped
 *
 * Where a step fails the Applier has it take back what was done.
 */
import { SlotSet } from "../hnsw/slot-set.ts";
import type { MetadataIndex, MetadataRecord } from "../metadata/metadata-index.ts";
import type { Operation } from "../storage/operations.ts";
import type { StoredRecord } from "./engine.ts";
import { type FormerRecord, FormerRecords } from "./former-records.ts";
import type { RecordGraph } from "./reduced-graph.ts";

export class Change {
  readonly former: FormerRecords;
  /** Vectors held before. */
  readonly count: number;
  /** For each operation, whether its id was there. */
  readonly existed: boolean[] = [];
  readonly #graph: RecordGraph;
  readonly #metadata: MetadataIndex;
  readonly #hidden: SlotSet;
  readonly #added = new Set<bigint>();
  /** What each slot is to hold; undefined for one left behind. */
  readonly #rows = new Map<number, MetadataRecord | undefined>();
  /** Slots are pinned until this is called. */
  readonly #release: (() => void) | undefined;

  /** `hidden`: operations to come of a batch that others may read past; 0 where nobody reads before it is over. */
  constructor(graph: RecordGraph, metadata: MetadataIndex, hidden: number) {
    this.#graph = graph;
    this.#metadata = metadata;
    this.count = graph.count;
    this.former = new FormerRecords(graph.slotLimit);
    this.#hidden = new SlotSet(hidden === 0 ? 0 : graph.slotLimit + hidden);
    // Without readers a slot may be used again at once, which a full index lives by.
    this.#release = hidden === 0 ? undefined : graph.pin();
  }

  /** @throws VxError `capacity_exceeded` */
  toGraph(operation: Operation, { staged = false } = {}): void {
    const { id } = operation;
    const slot = this.#graph.slotOf(id);
    this.existed.push(slot !== undefined);
    if (slot !== undefined) this.#leave(id, slot);
    if (operation.kind === "delete") {
      this.#graph.delete(id);
      return;
    }
    const { vector } = operation;
    const newSlot = staged ? this.#graph.stage(id, vector) : this.#graph.add(id, vector);
    this.#hidden.add(newSlot);
    this.#added.add(id);
    this.#rows.set(newSlot, { slot: newSlot, id, text: operation.metadata });
  }

  /** Rows to write, `size` at a time. */
  *rowChunks(size: number): Generator<MetadataRecord[]> {
    let chunk: MetadataRecord[] = [];
    for (const row of this.#rows.values()) {
      if (row !== undefined) chunk.push(row);
      if (chunk.length < size) continue;
      yield chunk;
      chunk = [];
    }
    if (chunk.length > 0) yield chunk;
  }

  /** Slots whose rows are to be dropped. */
  *leftSlots(): Generator<number> {
    for (const [slot, row] of this.#rows) if (row === undefined) yield slot;
  }

  /** Slots that searches may find: those allowed but for what came in with this change. */
  visible(allow: SlotSet | undefined): SlotSet {
    const visible = new SlotSet(this.#graph.slotLimit);
    const { words } = visible;
    for (let i = 0; i < words.length; i++) {
      const allowed = allow === undefined ? 0xffffffff : (allow.words[i] ?? 0);
      words[i] = allowed & ~(this.#hidden.words[i] ?? 0);
    }
    return visible;
  }

  /** Whether the record now in the graph came in with this change. */
  hides(id: bigint): boolean {
    return this.#added.has(id);
  }

  /** Lets go of the slots left behind. */
  release(): void {
    this.#release?.();
  }

  /** Takes back what was done so far. There must be slots for former records. @throws VxError `capacity_exceeded` */
  undo(): void {
    this.#graph.dropStaged();
    const former = Array.from(this.former.all, (record) => ({ id: record.id, ...this.formerState(record) }));
    this.release();
    for (const slot of this.#rows.keys()) this.#metadata.delete(slot);
    for (const id of this.#added) if (this.former.get(id) === undefined) this.#graph.delete(id);
    for (const { id, vector, metadata } of former)
      this.#metadata.set(this.#graph.add(id, vector), id, metadata);
  }

  /** What a former record held. */
  formerState({ slot, copy }: FormerRecord): StoredRecord {
    return copy ?? { vector: this.#graph.vectorIn(slot), metadata: this.#metadata.get(slot) };
  }

  #leave(id: bigint, slot: number): void {
    this.#rows.set(slot, undefined);
    if (this.#added.has(id) || this.former.get(id) !== undefined) return;
    const copy = this.#release === undefined ? this.formerState({ id, slot, copy: undefined }) : undefined;
    this.former.add({ id, slot, copy });
  }
}
