/**
 * Who is asked, of those that may be many: a few at a time, and the others wait. One that brings nothing gives its turn
 * to one that waits, since peers that open their streams and say nothing would have all turns. Those that failed wait
 * behind those that did not. Used by catalogue-sync and excerpts.
 */
import type { Clock } from "../sharing/ports.ts";
import { MAX_PARALLEL_PULLS, MAX_WAITING_PULLS, PULL_PATIENCE_MS } from "./limits.ts";

export interface Turn {
  /** How often it failed before. */
  readonly failures: number;
  /** Aborted when the turn goes to another. */
  readonly signal: AbortSignal;
  /** It gets on. */
  brought(): void;
}

export class Turns {
  readonly #clock: Clock;
  readonly #take: (peerId: string, turn: Turn) => Promise<void>;
  /** By peer id: how often each failed before. */
  readonly #waiting = new Map<string, number>();
  /** Those that brought nothing for a while. */
  readonly #slow = new Set<AbortController>();
  #running = 0;
  /** Of these, those that were told to end. */
  #ending = 0;

  /** `take` is called for each turn, and never rejects. */
  constructor(clock: Clock, take: (peerId: string, turn: Turn) => Promise<void>) {
    this.#clock = clock;
    this.#take = take;
  }

  /** False when too many wait. */
  join(peerId: string, failures = 0): boolean {
    if (this.#waiting.size >= MAX_WAITING_PULLS) return false;
    this.#waiting.set(peerId, failures);
    this.#next();
    return true;
  }

  /** Gives how often it failed before; undefined when it does not wait. */
  leave(peerId: string): number | undefined {
    const failures = this.#waiting.get(peerId);
    this.#waiting.delete(peerId);
    return failures;
  }

  #next(): void {
    while (this.#running < MAX_PARALLEL_PULLS) {
      const next = this.#first();
      if (next === undefined) break;
      this.#waiting.delete(next[0]);
      void this.#run(...next);
    }
    for (const slow of this.#slow) {
      if (this.#ending >= this.#waiting.size) return;
      this.#slow.delete(slow);
      this.#ending += 1;
      slow.abort(new Error("it brought nothing, and others wait"));
    }
  }

  #first(): [peerId: string, failures: number] | undefined {
    const fewest = Math.min(...this.#waiting.values());
    for (const waiting of this.#waiting) if (waiting[1] === fewest) return waiting;
    return undefined;
  }

  async #run(peerId: string, failures: number): Promise<void> {
    const giveWay = new AbortController();
    const over = new AbortController();
    let hasBrought = true;
    const watch = () => {
      if (!hasBrought) {
        this.#slow.add(giveWay);
        this.#next();
        return;
      }
      hasBrought = false;
      // the sleep rejects only when the turn is over
      this.#clock.sleep(PULL_PATIENCE_MS, over.signal).then(watch, () => {});
    };
    this.#running += 1;
    watch();
    await this.#take(peerId, {
      failures,
      signal: giveWay.signal,
      brought: () => {
        hasBrought = true;
        if (this.#slow.delete(giveWay)) watch();
      },
    });
    over.abort();
    this.#slow.delete(giveWay);
    this.#running -= 1;
    if (giveWay.signal.aborted) this.#ending -= 1;
    this.#next();
  }
}
