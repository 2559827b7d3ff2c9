/**
 * Knows whether a transfer gets on. Called by the transfer when somebody is at work for it, and on every tick when
 * nobody is.
 */
import { STALL_MS } from "./limits.ts";
import type { Clock } from "./ports.ts";

export class StallWatch {
  readonly #clock: Clock;
  readonly #onStall: (isStalled: boolean) => void;
  #lastBusyMs: number;
  #isStalled = false;

  /** `onStall`: nobody has worked for the transfer for STALL_MS (true), or somebody does again. */
  constructor(clock: Clock, onStall: (isStalled: boolean) => void) {
    this.#clock = clock;
    this.#onStall = onStall;
    this.#lastBusyMs = clock.monotonic();
  }

  busy(): void {
    this.#lastBusyMs = this.#clock.monotonic();
    if (!this.#isStalled) return;
    this.#isStalled = false;
    this.#onStall(false);
  }

  /** Time since somebody was at work. */
  idle(): number {
    const idleMs = this.#clock.monotonic() - this.#lastBusyMs;
    if (!this.#isStalled && idleMs > STALL_MS) {
      this.#isStalled = true;
      this.#onStall(true);
    }
    return idleMs;
  }
}
