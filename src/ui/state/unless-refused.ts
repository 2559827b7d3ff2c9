/** What is found to be so already is no failure of a wish for it. Called by deletions and each-transfer. */
import { ShoalError } from "../../client/shoal-error.ts";

/** @throws what `asked` throws but for refusals of these statuses */
export async function unlessRefused(asked: Promise<unknown>, ...statuses: readonly number[]): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof ShoalError && statuses.includes(error.status))) throw error;
  }
}
