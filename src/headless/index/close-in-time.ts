/** The end of an index, of vectors or of files, where it has no time for all that is under way. Called by open-index and open-search. */
import { setTimeout } from "node:timers/promises";
import { INDEX_STOP_MS } from "../limits.ts";
import type { Logger } from "../log.ts";

/** All that was acknowledged is durable, so the end of the process may come before the index has closed. */
export async function closeInTime(close: () => Promise<void>, log: Logger): Promise<void> {
  const given = new AbortController();
  const patience = setTimeout(INDEX_STOP_MS, "late" as const, { signal: given.signal }).catch(() => "closed");
  const outcome = await Promise.race([close().finally(() => given.abort()), patience]);
  if (outcome === "late") log.warn("the index is left at work; the next start adds what is stored");
}
