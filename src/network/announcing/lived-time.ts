/**
 * Milliseconds that this process lived, looking at the clock now and then: of a longer pause between two looks it was suspended,
 * and heard nobody. Used by catalogues, so that nobody is missed who could not be heard.
 */
import type { Clock } from "../../sharing/ports.ts";

export class LivedTime {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #longestPauseMs: number;
  #lookedMs: number;
  #livedMs = 0;

  /** `longestPauseMs`: what counts of a pause at most. */
  constructor(clock: Pick<Clock, "monotonic">, longestPauseMs: number) {
    this.#clock = clock;
    this.#longestPauseMs = longestPauseMs;
    this.#lookedMs = clock.monotonic();
  }

  look(): number {
    const nowMs = this.#clock.monotonic();
    this.#livedMs += Math.min(nowMs - this.#lookedMs, this.#longestPauseMs);
    this.#lookedMs = nowMs;
    return this.#livedMs;
  }
}
