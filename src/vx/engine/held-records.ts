/**
 * The records as readers see them: graph and metadata, and while a batch is applied in turns what it replaces, so that all
 * reading is as if it had not begun. Held by Records; its change is set by the Applier.
 */
import type { MetadataIndex } from "../metadata/metadata-index.ts";
import type { IndexFacts } from "../storage/stored-index.ts";
import type { Change } from "./change.ts";
import type { StoredRecord } from "./engine.ts";
import { type RecordGraph, ReducedGraph } from "./reduced-graph.ts";

export class HeldRecords {
  readonly facts: IndexFacts;
  readonly graph: RecordGraph;
  readonly metadata: MetadataIndex;
  /** The batch that is being applied in turns. */
  change: Change | undefined;

  constructor(facts: IndexFacts, graph: RecordGraph, metadata: MetadataIndex) {
    this.facts = facts;
    this.graph = graph;
    this.metadata = metadata;
  }

  /** The reduced graph, once a model is fitted. */
  get reduced(): ReducedGraph | undefined {
    return this.graph instanceof ReducedGraph ? this.graph : undefined;
  }

  get count(): number {
    return this.change?.count ?? this.graph.count;
  }

  has(id: bigint): boolean {
    if (this.change?.former.get(id) !== undefined) return true;
    return this.change?.hides(id) !== true && this.graph.slotOf(id) !== undefined;
  }

  get(id: bigint): StoredRecord | undefined {
    const former = this.change?.former.get(id);
    if (former !== undefined) return this.change?.formerState(former);
    if (!this.has(id)) return undefined;
    return { vector: this.graph.get(id) as Float32Array, metadata: this.textOf(id) };
  }

  /** The metadata of a record that is there. */
  textOf(id: bigint): string | undefined {
    const slot = this.#slotOf(id);
    return slot === undefined ? undefined : this.metadata.get(slot);
  }

  /** A copy of it in UTF-8. */
  textBytesOf(id: bigint): Uint8Array | undefined {
    const slot = this.#slotOf(id);
    return slot === undefined ? undefined : this.metadata.bytesOf(slot)?.slice();
  }

  #slotOf(id: bigint): number | undefined {
    return this.change?.former.get(id)?.slot ?? this.graph.slotOf(id);
  }
}
