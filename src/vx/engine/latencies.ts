/** The median duration of the last LATENCY_WINDOW calls of a kind. Kept by the engine for its metrics. */
import { LATENCY_WINDOW } from "./limits.ts";

export class Latencies {
  /** Calls measured, ever. */
  count = 0;
  readonly #windowMs = new Float64Array(LATENCY_WINDOW);

  add(durationMs: number): void {
    this.#windowMs[this.count % LATENCY_WINDOW] = durationMs;
    this.count++;
  }

  /** So many calls, of which the last durations are known: all of them, or as many as are kept. */
  addAll(calls: number, lastMs: number[]): void {
    for (const ms of lastMs) this.add(ms);
    this.count += calls - lastMs.length;
  }

  /** 0 before the first call. */
  get medianMs(): number {
    const kept = Math.min(this.count, LATENCY_WINDOW);
    const sorted = this.#windowMs.slice(0, kept).sort();
    const middle = kept >>> 1;
    if (kept % 2 === 1) return sorted[middle] as number;
    return kept === 0 ? 0 : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
  }
}
