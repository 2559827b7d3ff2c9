/**
 * Time as this process lived it. Conversations measure stalls by it: while the process is paused, or a hidden page's
 * timers are throttled, it hardly moves, so that no peer is blamed for our own sleep.
 */
import type { Clock } from "../sharing/ports.ts";
import { TICK_MS } from "./limits.ts";

export interface Watched {
  /** Looks for stalls. `awakeMs` is comparable with `Watchdog.awakeMs` alone. */
  onTick(awakeMs: number): void;
}

export class Watchdog {
  readonly #clock: Clock;
  readonly #watched = new Set<Watched>();
  readonly #stopping = new AbortController();
  #isTicking = false;
  awakeMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(watched: Watched): void {
    this.#watched.add(watched);
    if (!this.#isTicking) void this.#tick();
  }

  remove(watched: Watched): void {
    this.#watched.delete(watched);
  }

  stop(): void {
    this.#watched.clear();
    this.#stopping.abort();
  }

  async #tick(): Promise<void> {
    const { signal } = this.#stopping;
    this.#isTicking = true;
    try {
      while (this.#watched.size > 0 && !signal.aborted) {
        const startedAtMs = this.#clock.monotonic();
        await this.#clock.sleep(TICK_MS, signal);
        this.awakeMs += Math.min(2 * TICK_MS, this.#clock.monotonic() - startedAtMs);
        for (const watched of [...this.#watched]) watched.onTick(this.awakeMs);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#isTicking = false;
    }
  }
}
