/**
 * The speed at which chunks come to somebody who waits for more. Where single ones come further apart than a meter's window, as
 * under a low limit of the rate, it is the mean from one to the next, and less once the next is late. One for each peer,
 * and one for all of a download.
 */
import { CHUNK_BYTES, LONGEST_RHYTHM_MS, METER_TICK_MS, METER_TICKS } from "../limits.ts";
import { Meter } from "../meter.ts";

const WINDOW_MS = METER_TICK_MS * METER_TICKS;

/** What may come at once and still be waited for: two chunks that are under way together. */
const RHYTHM_BYTES = 2 * CHUNK_BYTES;

export class ChunkMeter {
  readonly #now: () => number;
  readonly #window: Meter;
  /** What came without a pause as long as the window. */
  #burst = { startMs: 0, bytes: 0 };
  #lastMs = Number.NEGATIVE_INFINITY;
  /** From the burst before to this one; undefined where bytes came all the time, or hardly ever. */
  #rhythm: { ms: number; bytesPerSecond: number } | undefined;

  /** `now` gives milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now;
    this.#window = new Meter(now);
  }

  add(bytes: number): void {
    this.#window.add(bytes);
    const nowMs = this.#now();
    if (nowMs - this.#lastMs >= WINDOW_MS) {
      this.#rhythm = this.#rhythmUntil(nowMs);
      this.#burst = { startMs: nowMs, bytes: 0 };
    }
    this.#burst.bytes += bytes;
    this.#lastMs = nowMs;
  }

  bytesPerSecond(): number {
    const { startMs, bytes } = this.#burst;
    const ms = this.#now() - startMs;
    const window = this.#window.bytesPerSecond();
    if (this.#rhythm === undefined || !isRhythm(ms, bytes)) return window;
    const isLate = ms > this.#rhythm.ms;
    const mean = isLate
      ? Math.min(this.#rhythm.bytesPerSecond, speed(ms, bytes))
      : this.#rhythm.bytesPerSecond;
    // What has come for so long without a pause is no single chunk.
    const isSteady = this.#lastMs - startMs >= WINDOW_MS;
    return Math.round(isSteady ? Math.max(mean, window) : mean);
  }

  #rhythmUntil(nowMs: number) {
    const { startMs, bytes } = this.#burst;
    const ms = nowMs - startMs;
    return bytes > 0 && isRhythm(ms, bytes) ? { ms, bytesPerSecond: speed(ms, bytes) } : undefined;
  }
}

function isRhythm(ms: number, bytes: number): boolean {
  return ms <= LONGEST_RHYTHM_MS && bytes <= RHYTHM_BYTES;
}

function speed(ms: number, bytes: number): number {
  return (bytes * 1000) / ms;
}
