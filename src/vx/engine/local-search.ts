/**
 * Searches in the caller's thread, on the memory that the engine's thread shares: a message there and back, each to a thread
 * asleep, takes several times as long as a search. Kept by RemoteEngine, which asks here only while no change is under way.
 */
import { GraphReader } from "../hnsw/graph-reader.ts";
import type { SlotSet } from "../hnsw/slot-set.ts";
import { Texts } from "../metadata/texts.ts";
import { nextTurn } from "../storage/turns.ts";
import type { Ranking, ResultRange } from "./engine.ts";
import { LATENCY_WINDOW, LOCAL_SEARCH_REST_MS, LOCAL_TURN_MS, LONG_LOCAL_SEARCH_MS } from "./limits.ts";
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
  #graph: GraphReader | undefined;
  #texts: Texts | undefined;
  #times: SearchTimes = { count: 0, lastMs: [] };
  /** What a search takes, of late. */
  #averageMs = 0;
  #restEndMs = 0;
  /** What searches took since this thread's other events had their turn. */
  #turnMs = 0;

  /** `now` gives ms, as performance.now does. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Searches these records from now on; undefined for none. */
  attach(records: SharedRecords | undefined): void {
    this.#graph = records && new GraphReader(records.graph);
    this.#texts = records && new Texts(records.texts);
  }

  get isAttached(): boolean {
    return this.#graph !== undefined;
  }

  /**
   * Undefined where the engine's thread is to search: there are no shared records, many results are wanted, searches take
   * long, or so many were made that this thread's other events are to have their turn. @throws VxError `invalid_vector`
   */
  search(query: Float32Array, range: ResultRange, allow?: SlotSet): Ranking | undefined {
    const startMs = this.#now();
    if (startMs < this.#restEndMs || this.#turnMs > LOCAL_TURN_MS) return undefined;
    const found = this.#graph?.search(query, range.k, allow);
    if (found === undefined) return undefined;
    const ranking = pageOf(found, range, (i) => this.#texts?.get(found.slots[i] as number));
    this.#took(startMs, this.#now());
    return ranking;
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
    this.#averageMs += (endMs - startMs - this.#averageMs) / 16;
    if (this.#averageMs < LONG_LOCAL_SEARCH_MS) return;
    this.#averageMs = 0;
    this.#restEndMs = endMs + LOCAL_SEARCH_REST_MS;
  }
}
