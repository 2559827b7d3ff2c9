/** Files of a folder that are on their way, which go with it when it is deleted with its files. Called by folder-deletion. */
import type { Transfer } from "../state/entries.ts";
import { keepsFile } from "../transfers/transfer-words.ts";

/**
 * Ids among the folder's `own`, for those that a transfer has brought nothing of yet are not listed. `hidden`: files whose own
 * deletion can still be taken back, which is no matter of the folder's.
 */
export function comingFiles(
  own: readonly string[],
  transfers: readonly Transfer[],
  hidden: ReadonlySet<string>,
): string[] {
  const inIt = new Set(own);
  return transfers
    .filter((transfer) => keepsFile(transfer))
    .map(({ file_id }) => file_id)
    .filter((id) => inIt.has(id) && !hidden.has(id));
}
