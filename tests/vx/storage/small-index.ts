/** An index as the engine keeps one, without its searches: a graph, metadata, and what is applied of the journal. */
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import type { ArchivePlace, DatedFolder } from "../../../src/vx/storage/index-storage.ts";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import type { Operation } from "../../../src/vx/storage/operations.ts";
import type {
  EncodedRow,
  IndexFacts,
  IndexReceiver,
  SnapshotSource,
  StoredIndex,
} from "../../../src/vx/storage/stored-index.ts";

export const facts: IndexFacts = { dimension: 3, metric: "l2", m: 4, efConstruction: 20 };

export class SmallIndex implements IndexReceiver {
  held: HnswGraph;
  readonly texts = new Map<bigint, string>();
  readonly facts: IndexFacts;

  constructor(ofIndex: IndexFacts) {
    this.facts = ofIndex;
    this.held = new HnswGraph(ofIndex);
  }

  async graph(header: Uint8Array, read: Parameters<IndexReceiver["graph"]>[1]): Promise<void> {
    this.held = await HnswGraph.open(header, read);
  }

  metadata(rows: EncodedRow[]): void {
    for (const { id, metadata } of rows) this.texts.set(id, new TextDecoder().decode(metadata));
  }

  operations(operations: Operation[]): void {
    for (const operation of operations) {
      if (operation.kind === "add") this.held.add(operation.id, operation.vector);
      else this.held.delete(operation.id);
      if (operation.kind === "add" && operation.metadata) this.texts.set(operation.id, operation.metadata);
      else this.texts.delete(operation.id);
    }
  }

  source(): SnapshotSource {
    const rows = this.rows();
    return { state: this.held.exportState(), metadata: [rows.slice(0, 1), rows.slice(1)] };
  }

  /** Everything in it, for comparing. */
  /** Metadata as a snapshot takes it. */
  rows(): EncodedRow[] {
    return Array.from(this.texts, ([id, text]) => ({ id, metadata: new TextEncoder().encode(text) }));
  }

  content(): Map<bigint, { vector: number[]; metadata: string | undefined }> {
    const ids = [...this.held.ids()].sort((a, b) => (a < b ? -1 : 1));
    return new Map(
      ids.map((id) => [id, { vector: [...(this.held.get(id) ?? [])], metadata: this.texts.get(id) }]),
    );
  }
}

export async function loaded(stored: StoredIndex): Promise<SmallIndex> {
  const index = new SmallIndex(stored.facts);
  await stored.load(index);
  return index;
}

/** Appends, then applies, as the engine does. */
export async function write(store: IndexStore, index: SmallIndex, operations: Operation[]): Promise<void> {
  await store.append(operations);
  index.operations(operations);
}

export function snapshot(store: IndexStore, index: SmallIndex): Promise<void> {
  return store.snapshot(() => ({ ...index.source(), sequence: store.lastSequence }));
}

/** `count` adds from that id on; every third has metadata. */
export function adds(first: number, count: number, mark = ""): Operation[] {
  return Array.from({ length: count }, (_, i) => {
    const id = first + i;
    const metadata = id % 3 === 0 ? JSON.stringify({ id, mark, text: "ä€😀".repeat(id % 5) }) : undefined;
    return { kind: "add", id: BigInt(id), vector: Float32Array.of(id, Math.sqrt(id), mark.length), metadata };
  });
}

export function placeIn(folder: DatedFolder, name: string): ArchivePlace {
  return { folder, name, path: name };
}
