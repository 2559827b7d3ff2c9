/** The machine's time, for tests that run real sockets. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "../../src/sharing/ports.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};
