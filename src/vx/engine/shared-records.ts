/**
 * What an engine shares with a caller in another thread, so that it can search by itself (local-search). Crosses
 * threads as it is.
 */
import type { ReaderJob } from "../hnsw/graph-reader.ts";

export interface SharedRecords {
  graph: ReaderJob;
  /** Of their metadata, see Texts. */
  texts: WebAssembly.Memory;
}

/** What a filter or facets let through. */
export interface LastingSlots {
  /** A bit a slot. */
  words: Uint32Array;
  /** Of the graph: once that has another, they are of no more use. */
  version: number;
}
