/**
 * Takes in a stored index: the graph of its snapshot (with the model and the originals where it is reduced), the rows of
 * metadata, then the operations of the journal, in turns. Called by the engine at opening and for restoring; calls Records.
 */
import { VxError } from "../errors.ts";
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import { MetadataIndex } from "../metadata/metadata-index.ts";
import type { Operation } from "../storage/operations.ts";
import type {
  IndexReceiver,
  KeptModel,
  MetadataRow,
  SnapshotReader,
  StoredIndex,
} from "../storage/stored-index.ts";
import { TurnClock } from "../turn-clock.ts";
import { nextTurn } from "../turns.ts";
import { Unapplied } from "./applier.ts";
import { emptyGraph, type RecordsOptions, WAITING } from "./empty-graph.ts";
import { REPLAYED_OPERATIONS, REPLAYED_TOGETHER } from "./limits.ts";
import { Originals } from "./originals.ts";
import { Records } from "./records.ts";
import { type RecordGraph, ReducedGraph } from "./reduced-graph.ts";

export interface Loaded {
  records: Records;
  /** Operations that memory had no place for, and that nothing later in the journal took back. */
  refused: number;
}

/** @throws VxError `capacity_exceeded`, `backup_corrupt`, `internal` */
export async function loadRecords(stored: StoredIndex, options: RecordsOptions): Promise<Loaded> {
  const loading = new Loading(stored, options);
  try {
    await stored.load(loading);
    return await loading.finish();
  } catch (error) {
    loading.close();
    throw error;
  }
}

class Loading implements IndexReceiver {
  readonly #stored: StoredIndex;
  readonly #options: RecordsOptions;
  #metadata: Promise<MetadataIndex> | undefined;
  readonly #clock = new TurnClock();
  readonly #refused = new Set<bigint>();
  /** That of the snapshot; undefined until it is read, and where there is none. */
  #graph: RecordGraph | undefined;
  #records: Records | undefined;

  constructor(stored: StoredIndex, options: RecordsOptions) {
    this.#stored = stored;
    this.#options = options;
  }

  async graph(header: Uint8Array, read: SnapshotReader, model?: KeptModel): Promise<void> {
    const { dimension, efConstruction, reduction } = this.#stored.facts;
    const { efSearch, quantization, threads } = this.#options;
    const shape = { efConstruction, efSearch, quantization };
    // Opening it takes this thread, and so waits for the first reads to be under way.
    const metadata = nextTurn().then(() => this.#openMetadata());
    // What it throws is told to whoever needs it.
    metadata.catch(() => undefined);
    let graph: RecordGraph;
    if (reduction === undefined) {
      const opened = await HnswGraph.open(header, read, shape, threads);
      graph = checkedGraph(opened, dimension);
    } else if (model === undefined) {
      graph = checkedGraph(await HnswGraph.open(header, read, WAITING), dimension);
    } else {
      const opened = await HnswGraph.open(header, read, shape, threads);
      graph = await this.#reducedGraph(opened, read, model);
    }
    this.#graph = graph;
  }

  async metadata(rows: MetadataRow[]): Promise<void> {
    const index = await this.#openMetadata();
    for (const { id, metadata } of rows) {
      const slot = this.#graph?.slotOf(id);
      // A row of a later moment than the graph: the operation that adds it brings it again.
      if (slot !== undefined) index.setText(slot, metadata);
    }
    await this.#takeTurn();
  }

  async operations(operations: Operation[]): Promise<void> {
    const records = await this.#complete();
    const together = records.hasHelpers ? REPLAYED_TOGETHER : REPLAYED_OPERATIONS;
    for (let start = 0; start < operations.length; start += together) {
      await this.#apply(records, operations.slice(start, start + together));
      await this.#takeTurn();
    }
  }

  async finish(): Promise<Loaded> {
    return { records: await this.#complete(), refused: this.#refused.size };
  }

  /** Ends the threads of records that are not to be. */
  close(): void {
    this.#records?.close();
  }

  async #reducedGraph(graph: HnswGraph, read: SnapshotReader, kept: KeptModel): Promise<ReducedGraph> {
    const { decodeModel } = await import("../reduction/model.ts");
    const model = decodeModel(kept.bytes);
    const { dimension, reduction } = this.#stored.facts;
    if (model.dimension !== dimension || model.method !== reduction?.method) {
      throw damaged("its model is that of another index");
    }
    await model.prepare();
    const readOriginals = (places: Uint8Array[]) => read("originals", places, () => undefined);
    const originals = await Originals.read(dimension, graph.slotLimit, readOriginals);
    return new ReducedGraph(checkedGraph(graph, model.target), { model, kept }, originals);
  }

  async #apply(records: Records, operations: Operation[]): Promise<void> {
    try {
      await records.apply(operations, { unread: true });
      for (const { id } of operations) this.#refused.delete(id);
    } catch (error) {
      if (!(error instanceof Unapplied)) throw error;
      const [operation] = operations;
      if (operations.length > 1) for (const one of operations) await this.#apply(records, [one]);
      else if (operation !== undefined) this.#refused.add(operation.id);
    }
  }

  async #complete(): Promise<Records> {
    if (this.#records !== undefined) return this.#records;
    const metadata = await this.#openMetadata();
    const graph = this.#graph ?? emptyGraph(this.#stored.facts, this.#options);
    metadata.setRowsToCome(graph.liveSlots(), (slot) => graph.idIn(slot));
    this.#records = new Records(this.#stored.facts, this.#options, graph, metadata);
    return this.#records;
  }

  #openMetadata(): Promise<MetadataIndex> {
    this.#metadata ??= MetadataIndex.open({ shared: this.#options.threads !== undefined });
    return this.#metadata;
  }

  async #takeTurn(): Promise<void> {
    if (this.#clock.isOver) await this.#clock.next();
  }
}

function checkedGraph(graph: HnswGraph, dimension: number): HnswGraph {
  if (graph.dimension === dimension) return graph;
  throw damaged(`its graph has vectors of ${graph.dimension} numbers, not ${dimension}`);
}

function damaged(what: string): VxError {
  return new VxError("backup_corrupt", `The stored index cannot be opened: ${what}`);
}
