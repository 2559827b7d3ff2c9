/** The rows of metadata that a snapshot takes, gathered while they are read. Called by Records. */
import type { MetadataRow } from "../storage/stored-index.ts";
import type { HeldRecords } from "./held-records.ts";
import { SNAPSHOT_ROW_CHARS, SNAPSHOT_ROWS } from "./limits.ts";

/** Those of the records in the slots below `slotLimit`, some at a time; a record without metadata has none. */
export function* snapshotRows(held: HeldRecords, slotLimit: number): Generator<MetadataRow[]> {
  let rows: MetadataRow[] = [];
  let chars = 0;
  for (let first = 0; first < slotLimit; first += SNAPSHOT_ROWS) {
    for (const id of held.graph.idsBetween(first, Math.min(first + SNAPSHOT_ROWS, slotLimit))) {
      const metadata = held.textOf(id);
      if (metadata === undefined) continue;
      rows.push({ id, metadata });
      chars += metadata.length;
      if (rows.length < SNAPSHOT_ROWS && chars < SNAPSHOT_ROW_CHARS) continue;
      yield rows;
      rows = [];
      chars = 0;
    }
  }
  if (rows.length > 0) yield rows;
}
