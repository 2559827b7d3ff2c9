/**
 * A rate in bytes a second. Whoever finds the balance above zero may go and is charged what it used, so the
 * balance can fall below zero and the next one waits longer. Held by fair-share and pacing; no timer of its own.
 */
import type { Clock } from "../../sharing/ports.ts";
import { BURST_SECONDS } from "../limits.ts";

export class TokenBucket {
  readonly #clock: Clock;
  #bytesPerSecond: number;
  #balanceBytes: number;
  #filledAtMs: number;

  /** Infinity means no limit. */
  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerSecond = bytesPerSecond;
    this.#clock = clock;
    this.#balanceBytes = this.#maxBalanceBytes;
    this.#filledAtMs = clock.monotonic();
  }

  get isLimited(): boolean {
    return Number.isFinite(this.#bytesPerSecond);
  }

  get bytesPerSecond(): number {
    return this.#bytesPerSecond;
  }

  /** Begins anew at another rate: what was used too much at the old one is forgotten. Nothing where it is the same again. */
  setRate(bytesPerSecond: number): void {
    if (bytesPerSecond === this.#bytesPerSecond) return;
    this.#bytesPerSecond = bytesPerSecond;
    this.#balanceBytes = this.#maxBalanceBytes;
    this.#filledAtMs = this.#clock.monotonic();
  }

  get #maxBalanceBytes(): number {
    return this.#bytesPerSecond * BURST_SECONDS;
  }

  /** Milliseconds until something may go; 0 for now. */
  waitMs(): number {
    if (!this.isLimited) return 0;
    const now = this.#clock.monotonic();
    const grown = this.#balanceBytes + ((now - this.#filledAtMs) / 1000) * this.#bytesPerSecond;
    this.#balanceBytes = Math.min(this.#maxBalanceBytes, grown);
    this.#filledAtMs = now;
    if (this.#balanceBytes > 0) return 0;
    return Math.max(1, Math.ceil((-this.#balanceBytes / this.#bytesPerSecond) * 1000));
  }

  /** A negative number gives back what was charged and not used. */
  charge(bytes: number): void {
    this.#balanceBytes -= bytes;
  }
}
