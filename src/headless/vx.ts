/**
 * The package entry `shoal/vx`: the index library on Node.js. An index runs in a worker thread of its own.
 *
 *   const vx = new Vx({ dimension: 3, storagePath: "index" });
 *   await vx.add(1, [1, 0, 0], { topic: "shells" });
 *   const [nearest] = await vx.search([0.9, 0.1, 0], 10);
 */
import type { ArrowSchema } from "../vx/arrow/input.ts";
import type { Config } from "../vx/config.ts";
import { Vx as Library, type OpenOptions } from "../vx/vx.ts";
import { nodeVxHost } from "./index/vx-host.ts";

export type { Metadata, MetadataInput, MetadataObject, Vector, VectorId } from "../vx/arguments.ts";
export type { ArrowInput, ArrowRecordBatch, ArrowSchema, ArrowTable } from "../vx/arrow/input.ts";
export type { Config, Duration } from "../vx/config.ts";
export type {
  Failure,
  Health,
  IndexDescription,
  Metrics,
  RefitResult,
  RestoreResult,
} from "../vx/engine/engine.ts";
export { DimensionMismatchError, InvalidIDError, VxError, type VxErrorCode } from "../vx/errors.ts";
export type { Facets, Row, SqlValue } from "../vx/metadata/metadata-index.ts";
export {
  metadataText,
  type RecordList,
  type Rows,
  type ScoredResult,
  type SearchResult,
  type VectorRecord,
} from "../vx/results.ts";
export type { BackupResult } from "../vx/storage/index-store.ts";
export type { OpenOptions } from "../vx/vx.ts";

export class Vx extends Library {
  /** Opens the index, or makes it where there is none. @throws VxError `invalid_request`, `encryption_key_invalid` */
  constructor(config: Config = {}, options?: OpenOptions) {
    super(config, nodeVxHost, options);
  }

  /** Opens an index that is there; `storagePath` is enough. @throws VxError `not_found`, and what `ready` throws */
  static async load(config: Config): Promise<Vx> {
    const vx = new Vx(config, { create: false });
    await vx.ready();
    return vx;
  }
}

/** The Arrow schema of records with vectors of that dimension, for `appendFromArrow`: a Schema of apache-arrow 21. */
export async function vectorSchema(dimension: number): Promise<ArrowSchema> {
  return (await import("../vx/arrow/read-arrow.ts")).vectorSchema(dimension);
}
