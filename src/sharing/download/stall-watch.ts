/**
 * Knows whether a transfer gets on, in time that this process lived: no provider is missed while it was suspended. Called by the
 * transfer when somebody is at work for it, and on every tick when nobody is.
 */
import { LAST_LOOK_MS, LONGEST_TICK_MS, STALL_MS } from "../limits.ts";
import type { Clock } from "../ports.ts";

export class StallWatch {
  readonly #clock: Clock;
  readonly #onStall: (isStalled: boolean) => void;
  /** Since somebody was at work. */
  #idleMs = 0;
  #lastLookMs: number;
  #isStalled = false;
  /** What was told last, of an earlier run, too. */
  #isToldStalled: boolean;
  #nextLookMs = STALL_MS;
  /** How long nobody need be at work. */
  #mayIdleMs = 0;

  /**
   * `onStall`: nobody has worked for the transfer for STALL_MS (true), or somebody does again, also where that was so
   * in an earlier run (`wasStalled`).
   */
  constructor(clock: Clock, onStall: (isStalled: boolean) => void, wasStalled = false) {
    this.#clock = clock;
    this.#onStall = onStall;
    this.#isToldStalled = wasStalled;
    this.#lastLookMs = clock.monotonic();
  }

  busy(): void {
    this.#idleMs = 0;
    this.#nextLookMs = STALL_MS;
    this.#mayIdleMs = 0;
    this.#lastLookMs = this.#clock.monotonic();
    this.#isStalled = false;
    if (!this.#isToldStalled) return;
    this.#isToldStalled = false;
    this.#onStall(false);
  }

  /** Time since somebody was at work. */
  idle(): number {
    const nowMs = this.#clock.monotonic();
    this.#idleMs += Math.min(nowMs - this.#lastLookMs, LONGEST_TICK_MS);
    this.#lastLookMs = nowMs;
    if (!this.#isStalled && this.#idleMs > STALL_MS) {
      this.#isStalled = true;
      this.#isToldStalled = true;
      this.#onStall(true);
    }
    return this.#idleMs;
  }

  /** It is worth waiting on: should that end, it has time for a last look. */
  mayGoOn(): void {
    this.#mayIdleMs = this.#idleMs + LAST_LOOK_MS;
  }

  /** Is the time for that over, or was it never worth waiting? */
  get isInVain(): boolean {
    return this.#idleMs > this.#mayIdleMs;
  }

  /** Whether nobody has been at work for so long that the transfer should look for itself: after each time twice as long. */
  isLookDue(): boolean {
    if (this.#idleMs < this.#nextLookMs) return false;
    this.#nextLookMs *= 2;
    return true;
  }
}
