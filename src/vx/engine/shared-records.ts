/** What records share with a caller in another thread, so that it can search them itself (local-search). Crosses threads as it is. */
import type { ReaderJob } from "../hnsw/graph-reader.ts";

export interface SharedRecords {
  graph: ReaderJob;
  /** Of their metadata, see Texts. */
  texts: WebAssembly.Memory;
}
