/** The time that a node gives to whoever connects and says nothing: seconds, which tests do not wait for. */
import { vi } from "vitest";
import { INBOUND_UPGRADE_TIMEOUT_MS } from "../../src/network/limits.ts";

/** Of what setTimeout takes. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** In this test it passes only when what this gives is called, and then for all who have connected by then. */
export function holdHandshakeTime(): () => void {
  const signals: AbortController[] = [];
  const timers = new Map<unknown, () => void>();
  const { setTimeout, clearTimeout } = globalThis;
  const timeout = AbortSignal.timeout.bind(AbortSignal);

  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    if (ms !== INBOUND_UPGRADE_TIMEOUT_MS) return timeout(ms);
    const held = new AbortController();
    signals.push(held);
    return held.signal;
  });
  const started = (run: () => void, ms?: number, ...rest: []) => {
    if (ms !== INBOUND_UPGRADE_TIMEOUT_MS) return setTimeout(run, ms, ...rest);
    const timer = setTimeout(run, LONGEST_TIMEOUT_MS);
    timers.set(timer, run);
    return timer;
  };
  vi.spyOn(globalThis, "setTimeout").mockImplementation(started as typeof setTimeout);
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    timers.delete(timer);
    clearTimeout(timer);
  });

  return () => {
    for (const held of signals) held.abort(new DOMException("The handshake took too long", "TimeoutError"));
    for (const [timer, run] of timers) {
      clearTimeout(timer as NodeJS.Timeout);
      run();
    }
  };
}
