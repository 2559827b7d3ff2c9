/**
 * Tells when this process, or the whole device, has slept, after which many connections are dead of whose end nobody was told. No
 * event tells of it, but a clock has jumped. Called by openNetwork.
 */
import type { Clock } from "../../sharing/ports.ts";
import { SLEEP_LOOK_MS, SLEEP_SUSPECTED_MS } from "./limits.ts";

/** Runs until the signal aborts. */
export async function watchSleeps(clock: Clock, onWake: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const look = { dateMs: clock.now(), monotonicMs: clock.monotonic() };
    await clock.sleep(SLEEP_LOOK_MS, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
    // While a device sleeps, only the date goes on in many systems.
    const passedMs = Math.max(clock.now() - look.dateMs, clock.monotonic() - look.monotonicMs);
    if (!signal.aborted && passedMs > SLEEP_SUSPECTED_MS) onWake();
  }
}
