/** What an engine counts of its calls, for its metrics. Kept by the engine. */
import type { Metrics } from "./engine.ts";
import { Latencies } from "./latencies.ts";
import type { SearchTimes } from "./local-search.ts";

type Counted =
  | "uptime_seconds"
  | "search_latency_ms"
  | "add_latency_ms"
  | "searches_total"
  | "vectors_added_total"
  | "vectors_deleted_total";

export class Counters {
  readonly #startMs = performance.now();
  readonly #searches = new Latencies();
  readonly #adds = new Latencies();
  #added = 0;
  #deleted = 0;

  /** A search that began then has ended. */
  searched(sinceMs: number): void {
    this.#searches.add(performance.now() - sinceMs);
  }

  searchedElsewhere({ count, lastMs }: SearchTimes = { count: 0, lastMs: [] }): void {
    this.#searches.addAll(count, lastMs);
  }

  /** So many vectors were added, by a call that began then. */
  added(vectors: number, sinceMs: number): void {
    this.#added += vectors;
    this.#adds.add(performance.now() - sinceMs);
  }

  deleted(): void {
    this.#deleted++;
  }

  get metrics(): Pick<Metrics, Counted> {
    return {
      uptime_seconds: Math.floor((performance.now() - this.#startMs) / 1000),
      search_latency_ms: this.#searches.medianMs,
      add_latency_ms: this.#adds.medianMs,
      searches_total: this.#searches.count,
      vectors_added_total: this.#added,
      vectors_deleted_total: this.#deleted,
    };
  }
}
