/**
 * What a node of an earlier version answers: another tab may still run the page as it was before an update, and its node is this
 * tab's, too. Called by lists.
 */
import { ShoalError } from "../../client/shoal-error.ts";

/** Of what it has no route for there is nothing. @throws what `listed` throws but for that */
export async function noneIfUnknown<T>(listed: Promise<T[]>): Promise<T[]> {
  try {
    return await listed;
  } catch (error) {
    if (error instanceof ShoalError && error.status === 404) return [];
    throw error;
  }
}
