/**
 * When the page's own files are kept for use without a network: some at a time once the node has run for a while, and only
 * while no file is on its way, for what a person came for comes first. Called by main in the tab that leads.
 */
import type { Clock } from "../sharing/ports.ts";
import { KEEP_FILES_AFTER_MS, KEEP_PAUSE_MS } from "./limits.ts";

interface KeepingParts {
  /** Keeps some more; whether all are kept then. */
  keepSome(): Promise<boolean>;
  isBusy(): boolean;
  clock: Pick<Clock, "sleep">;
}

/** Settles once all are kept. Rejects with what `keepSome` does. */
export async function keepPageFiles({ keepSome, isBusy, clock }: KeepingParts): Promise<void> {
  await clock.sleep(KEEP_FILES_AFTER_MS);
  while (isBusy() || !(await keepSome())) await clock.sleep(KEEP_PAUSE_MS);
}
