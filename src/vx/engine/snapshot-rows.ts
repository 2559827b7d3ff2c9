/** The rows of metadata that a snapshot takes, gathered while they are read. Called by Records. */
import type { EncodedRow } from "../storage/stored-index.ts";
import { TurnClock } from "../turn-clock.ts";
import type { HeldRecords } from "./held-records.ts";
import { SNAPSHOT_ROW_BYTES, SNAPSHOT_ROWS } from "./limits.ts";

/** Those of the records in the slots below `slotLimit`, some at a time, in turns; a record without metadata has none. */
export async function* snapshotRows(held: HeldRecords, slotLimit: number): AsyncGenerator<EncodedRow[]> {
  const clock = new TurnClock();
  let rows: EncodedRow[] = [];
  let bytes = 0;
  for (let first = 0; first < slotLimit; first += SNAPSHOT_ROWS) {
    for (const id of held.graph.idsBetween(first, Math.min(first + SNAPSHOT_ROWS, slotLimit))) {
      const metadata = held.textBytesOf(id);
      if (metadata === undefined) continue;
      rows.push({ id, metadata });
      bytes += metadata.byteLength;
      if (rows.length < SNAPSHOT_ROWS && bytes < SNAPSHOT_ROW_BYTES) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
    if (clock.isOver) await clock.next();
  }
  if (rows.length > 0) yield rows;
}
