/** Time that moves when the test says so; sleepers wake in the order of their deadlines. */
import type { Clock } from "../../../src/sharing/ports.ts";

export class HandClock implements Clock {
  #nowMs = 1_767_225_600_000;
  #setByMs = 0;
  readonly #sleepers = new Set<{ atMs: number; wake: () => void }>();

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  /** Somebody sets the clock of the machine; no time passes. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { atMs: this.#nowMs + ms, wake: () => finish(resolve) };
      const finish = (settle: () => void) => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", onAbort);
        settle();
      };
      const onAbort = () => finish(() => reject(signal?.reason));
      signal?.addEventListener("abort", onAbort);
      this.#sleepers.add(sleeper);
    });
  }

  /** Moves time, waking who is due, and lets everything that follows from it happen. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const due = [...this.#sleepers]
        .filter(({ atMs }) => atMs <= untilMs)
        .sort((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.wake();
    }
    this.#nowMs = untilMs;
  }
}

/** All promises that can settle without outside events have. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
