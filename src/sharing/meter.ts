/**
 * Bytes counted, and their speed over a sliding window of whole ticks. Written on every payload that comes or goes, by
 * transfers and the exchange; read by statistics.
 */
import { METER_TICK_MS, METER_TICKS } from "./limits.ts";

export class Meter {
  readonly #now: () => number;
  readonly #ticks = new Float64Array(METER_TICKS);
  #currentTick: number;
  readonly #startMs: number;
  totalBytes = 0;

  /** `now` gives milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#startMs = now();
    this.#currentTick = Math.floor(this.#startMs / METER_TICK_MS);
  }

  add(bytes: number): void {
    this.#advance();
    this.totalBytes += bytes;
    const slot = this.#currentTick % METER_TICKS;
    this.#ticks[slot] = (this.#ticks[slot] ?? 0) + bytes;
  }

  /** The mean over the window, or over the meter's age while that is shorter. */
  bytesPerSecond(): number {
    this.#advance();
    const nowMs = this.#now();
    const windowStartMs = (this.#currentTick - METER_TICKS + 1) * METER_TICK_MS;
    const spanMs = Math.max(METER_TICK_MS, nowMs - Math.max(windowStartMs, this.#startMs));
    return Math.round((this.#ticks.reduce((sum, bytes) => sum + bytes, 0) * 1000) / spanMs);
  }

  #advance(): void {
    const tick = Math.floor(this.#now() / METER_TICK_MS);
    const steps = Math.min(tick - this.#currentTick, METER_TICKS);
    for (let step = 1; step <= steps; step++) this.#ticks[(this.#currentTick + step) % METER_TICKS] = 0;
    this.#currentTick = Math.max(tick, this.#currentTick);
  }
}
