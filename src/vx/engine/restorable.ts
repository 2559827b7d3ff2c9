/** Whether a backup can become an index: checked by the engine before anything of it is loaded. */
import { DimensionMismatchError, VxError } from "../errors.ts";
import { reductionMark } from "../storage/reduction-facts.ts";
import type { IndexFacts } from "../storage/stored-index.ts";

/**
 * Links a vector may have are taken over; what users see must be the same.
 * @throws DimensionMismatchError, VxError `invalid_request`
 */
export function checkRestorable(backup: IndexFacts, index: IndexFacts): void {
  if (backup.dimension !== index.dimension)
    throw new DimensionMismatchError(index.dimension, backup.dimension);
  if (backup.metric !== index.metric) {
    throw new VxError(
      "invalid_request",
      `The index is of distance ${index.metric}, the backup of ${backup.metric}`,
    );
  }
  if (reductionMark(backup.reduction) === reductionMark(index.reduction)) return;
  const how = ({ reduction }: IndexFacts) =>
    reduction === undefined ? "as they are" : reductionMark(reduction);
  throw new VxError(
    "invalid_request",
    `The index searches vectors reduced otherwise (${how(index)}) than the backup (${how(backup)})`,
  );
}
