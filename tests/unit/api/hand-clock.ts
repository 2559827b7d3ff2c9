/** Time that passes only when told to; sleepers wake in order, each with room to act. */
import type { Clock } from "../../../src/sharing/ports.ts";

export class HandClock implements Clock {
  #nowMs = 1_700_000_000_000;
  #setByMs = 0;
  #sleepers: { atMs: number; wake: () => void }[] = [];

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
      const sleeper = { atMs: this.#nowMs + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await settled();
      const [next] = this.#sleepers.filter(({ atMs }) => atMs <= endMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
    }
    this.#nowMs = endMs;
  }
}

/** Lets everything that can run without time passing run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
