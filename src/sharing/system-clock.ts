/**
 * The clock of the machine or page. Used by the mains, by stores of blocks, and by what bounds libp2p's own parts;
 * calls timers.
 */
import type { Clock } from "./ports.ts";

/** setTimeout takes 31 bits of milliseconds and fires at once for more. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  async sleep(ms, signal) {
    const endMs = performance.now() + ms;
    for (let restMs = ms; restMs > 0; restMs = endMs - performance.now()) {
      await timeout(Math.min(Math.ceil(restMs), LONGEST_TIMEOUT_MS), signal);
    }
    signal?.throwIfAborted();
  },
};

function timeout(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
