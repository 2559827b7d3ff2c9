/**
 * When the page's own files are kept for use without a network: some at a time once the node has run for a while, and only
 * while no file is on its way, for what a person came for comes first. A line that is cut in the middle is waited for. Called by
 * main in the tab that leads.
 */
import type { Clock } from "../sharing/ports.ts";
import { KEEP_AGAIN_MS, KEEP_FILES_AFTER_MS, KEEP_PAUSE_MS, MAX_KEEP_AGAIN_MS } from "./limits.ts";

interface KeepingParts {
  /** Keeps some more; whether all are kept then. Rejects where one can't be had now. */
  keepSome(): Promise<boolean>;
  isBusy(): boolean;
  /** Told of each time that they could not be kept. */
  onFailure(error: unknown): void;
  clock: Pick<Clock, "sleep">;
  /** Aborts when this tab leads no more: whoever does sees to the rest. */
  signal: AbortSignal;
}

/** Settles once all are kept. @throws the signal's reason */
export async function keepPageFiles(parts: KeepingParts): Promise<void> {
  const { keepSome, isBusy, onFailure, clock, signal } = parts;
  await clock.sleep(KEEP_FILES_AFTER_MS, signal);
  for (let againMs = KEEP_AGAIN_MS; ; ) {
    let pauseMs = KEEP_PAUSE_MS;
    try {
      if (!isBusy() && (await keepSome())) return;
    } catch (error) {
      onFailure(error);
      pauseMs = againMs;
      againMs = Math.min(2 * againMs, MAX_KEEP_AGAIN_MS);
    }
    await clock.sleep(pauseMs, signal);
  }
}
