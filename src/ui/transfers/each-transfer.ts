/** One wish for many transfers. Called by joint-actions and state/deletions. */
import { ShoalError } from "../../client/shoal-error.ts";
import type { Transfer } from "../state/entries.ts";
import { unlessRefused } from "../state/unless-refused.ts";

/** One after the other, and all of them though the node refuses some. @throws the first refusal, and what is none at once */
export async function eachTransfer<T extends Pick<Transfer, "id">>(
  transfers: readonly T[],
  ask: (transfer: T) => Promise<unknown>,
): Promise<void> {
  let refusal: ShoalError | undefined;
  for (const transfer of transfers) {
    try {
      await ask(transfer);
    } catch (error) {
      if (!(error instanceof ShoalError)) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
}

/** `transfers`: as they come in turn. The last comes first: where one ends another gets its turn, which should have none. */
export function endEach<T extends Pick<Transfer, "id">>(
  transfers: readonly T[],
  end: (transferId: string) => Promise<unknown>,
): Promise<void> {
  // Some may be over meanwhile.
  return eachTransfer(transfers.toReversed(), ({ id }) => unlessRefused(end(id), 404, 409));
}
