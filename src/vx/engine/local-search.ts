/**
 * Searches in the caller's thread, on the memory that the engine's thread shares: a message there and back, each to a thread
 * asleep, takes several times as long as a search. Kept by RemoteEngine.
 */
import { GraphReader } from "../hnsw/graph-reader.ts";
import type { Narrowing } from "../metadata/metadata-index.ts";
import { Texts } from "../metadata/texts.ts";
import { nextTurn } from "../turns.ts";
import type { Ranking, ResultRange, SharingEngine } from "./engine.ts";
import {
  AVERAGE_WEIGHT,
  LATENCY_WINDOW,
  LOCAL_SEARCH_REST_MS,
  LOCAL_TURN_MS,
  LONG_LOCAL_SEARCH_MS,
} from "./limits.ts";
import { LocalFilters } from "./local-filters.ts";
import { pageOf } from "./ranking.ts";
import type { SharedRecords } from "./shared-records.ts";

/** Searches that an engine did not see. */
export interface SearchTimes {
  count: number;
  /** Durations of the last of them. */
  lastMs: number[];
}

export class LocalSearch {
  readonly #now: () => number;
  #filters: LocalFilters | undefined;
  #graph: GraphReader | undefined;
  #texts: Texts | undefined;
  #times: SearchTimes = { count: 0, lastMs: [] };
  /** What a search takes, of late. */
  #averageMs = 0;
  #restEndMs = 0;
  /** What searches took since this thread's other events had their turn. */
  #turnMs = 0;

  /** `now` gives ms. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Searches these records from now on, undefined for none; `slotsOf` is that of their engine. */
  attach(records: SharedRecords | undefined, slotsOf: SharingEngine["slotsOf"]): void {
    this.#graph = records && new GraphReader(records.graph);
    this.#texts = records && new Texts(records.texts);
    this.#filters = records && new LocalFilters(slotsOf);
  }

  /**
   * Undefined where the engine's thread is to search: there are no shared records, or they change just now, a filter is new,
   * many results are wanted, searches take long, or so many were made that this thread's other events are to have their turn.
   * @throws VxError `invalid_vector`
   */
  search(query: Float32Array, range: ResultRange, narrowing?: Narrowing): Ranking | undefined {
    const startMs = this.#now();
    if (startMs < this.#restEndMs || this.#turnMs > LOCAL_TURN_MS) return undefined;
    if (this.#graph?.tryEnter() !== true) return undefined;
    try {
      const ranking = this.#find(this.#graph, query, range, narrowing);
      if (ranking !== undefined) this.#took(startMs, this.#now());
      return ranking;
    } finally {
      this.#graph.leave();
    }
  }

  #find(
    graph: GraphReader,
    query: Float32Array,
    range: ResultRange,
    narrowing?: Narrowing,
  ): Ranking | undefined {
    const allow = narrowing && this.#filters?.get(narrowing, graph.version);
    if (narrowing !== undefined && allow === undefined) return undefined;
    const found = graph.search(query, range.k, allow);
    return found && pageOf(found, range, (i) => this.#texts?.get(found.slots[i] as number));
  }

  /** What was searched since this was called last. */
  takeTimes(): SearchTimes {
    const times = this.#times;
    this.#times = { count: 0, lastMs: [] };
    return times;
  }

  #took(startMs: number, endMs: number): void {
    const { count, lastMs } = this.#times;
    lastMs[count % LATENCY_WINDOW] = endMs - startMs;
    this.#times.count++;
    if (this.#turnMs === 0) {
      void nextTurn().then(() => {
        this.#turnMs = 0;
      });
    }
    this.#turnMs += endMs - startMs;
    this.#averageMs += (endMs - startMs - this.#averageMs) * AVERAGE_WEIGHT;
    if (this.#averageMs < LONG_LOCAL_SEARCH_MS) return;
    this.#averageMs = 0;
    this.#restEndMs = endMs + LOCAL_SEARCH_REST_MS;
  }
}
