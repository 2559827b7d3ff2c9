/**
 * What a stored index is to those who load it and write it: its facts, and the streams that its state goes through.
 * Used by the engine; implemented by IndexStore (the index's own folder) and OpenArchive (a backup).
 */
import type { GraphOptions } from "../hnsw/graph.ts";
import type { GraphState, ReadingRoom, StatePartName } from "../hnsw/state.ts";
import type { Operation } from "./operations.ts";
import type { ReductionFacts } from "./reduction-facts.ts";

/** What an index was made with, and keeps for good. */
export type IndexFacts = Required<Pick<GraphOptions, "dimension" | "metric" | "m" | "efConstruction">> & {
  /** Undefined where vectors are searched as they are. */
  reduction?: ReductionFacts | undefined;
};

/** A StateReader that knows the vectors as they were added too. */
export type SnapshotReader = (
  part: StatePartName | "originals",
  places: Uint8Array[],
  ready: (bytes: number) => void,
  room?: ReadingRoom,
) => Promise<void>;

/** One record's metadata, JSON text as it was given, in UTF-8. Records without metadata have no row. */
export interface EncodedRow<Buffer extends ArrayBufferLike = ArrayBufferLike> {
  id: bigint;
  metadata: Uint8Array<Buffer>;
}

/** As it is read. */
export type MetadataRow = EncodedRow<ArrayBuffer>;

/**
 * Takes in a stored index. Called in this order: `graph` once at most (not for an index that was empty at its last
 * snapshot), `metadata` with rows in batches, `operations` in the order in which they are to be applied. The next
 * call waits for the promise of the one before. What a callback throws ends the loading.
 */
export interface IndexReceiver {
  /**
   * For HnswGraph.open, which reads the parts in order. With a `model` the graph's vectors are reduced, and `read` then
   * gives the `originals`.
   */
  graph(header: Uint8Array, read: SnapshotReader, model?: KeptModel): Promise<void>;
  /**
   * Rows may speak of a later moment than the graph: for ids that later operations add or delete. After the last
   * operation both agree.
   */
  metadata(rows: MetadataRow[]): void | Promise<void>;
  /** The vectors belong to the receiver. A batch of appended operations may come in several calls. */
  operations(operations: Operation[]): void | Promise<void>;
}

/** Takes in an index that is empty, or of which only the store is wanted. */
export const noReceiver: IndexReceiver = { async graph() {}, metadata() {}, operations() {} };

export interface StoredIndex {
  readonly facts: IndexFacts;
  readonly encrypted: boolean;
  /** @throws VxError `internal` for damage in the index's own folder, `backup_corrupt` for damage in an archive */
  load(receiver: IndexReceiver): Promise<void>;
}

/** An index's state to be written; taken between two operations, read while later ones are applied. */
export interface SnapshotSource {
  /** By HnswGraph.exportState. Released by the one who reads it, also after failures. */
  state: GraphState;
  /**
   * The metadata of all records, each id once at most, in batches small enough to be made without a pause. A row
   * may be of any moment since the state was taken, for the journal holds what came later.
   */
  metadata: Iterable<EncodedRow[]> | AsyncIterable<EncodedRow[]>;
  /** Where the graph's vectors are reduced. */
  reduced?: ReducedSource | undefined;
}

/** A model of reduction as it is stored. */
export interface KeptModel {
  /** Random, 16 bytes: tells it from others of the same index. */
  id: Uint8Array<ArrayBuffer>;
  bytes: Uint8Array;
}

export interface ReducedSource {
  model: KeptModel;
  /** The vectors as they were added, f32, [slots, dimension]; as they are until the state is released. */
  originals: { byteLength: number; read(offset: number, into: Uint8Array): void };
}
