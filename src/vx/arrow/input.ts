/**
 * Arrow data as callers of Vx hand it in: what is asked of apache-arrow's objects, whichever copy of that package made them.
 * No import of it here, so that the library's types need none.
 */

/** A RecordBatch of apache-arrow. */
export interface ArrowRecordBatch {
  readonly numRows: number;
  readonly schema: ArrowSchema;
  readonly data: unknown;
}

/** A Table of apache-arrow. */
export interface ArrowTable {
  readonly schema: ArrowSchema;
  readonly batches: readonly ArrowRecordBatch[];
}

/** A Schema of apache-arrow. */
export interface ArrowSchema {
  readonly fields: readonly { readonly name: string; readonly nullable: boolean }[];
}

/** IPC bytes, of a stream or a file, whole; a stream as it comes; or what apache-arrow made of them. */
export type ArrowInput = Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array> | ArrowRecordBatch | ArrowTable;
