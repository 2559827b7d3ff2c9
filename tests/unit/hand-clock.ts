/**
 * Time that passes only when told to. Those who sleep wake in the order of their deadlines, each with room for what
 * follows from it.
 */
import type { Clock } from "../../src/sharing/ports.ts";

const HOUR_MS = 3_600_000;

/** Hashes under way: they are made in threads, which take other time than the clock's. */
let hashing = 0;
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = (algorithm, data) => {
  hashing += 1;
  return digest(algorithm, data).finally(() => {
    hashing -= 1;
  });
};

/** Turns of the event loop in which promises that wait for one another have settled. */
const TURNS = 20;

interface Sleeper {
  atMs: number;
  wake: () => void;
}

export class HandClock implements Clock {
  #nowMs = 1_700_000_000_000;
  #setByMs = 0;
  readonly #sleepers = new Set<Sleeper>();
  readonly #turns: number;

  /** `turns` of the event loop in which all that can run without time passing has run: one, where nothing waits for a thread. */
  constructor(turns = TURNS) {
    this.#turns = turns;
  }

  get sleeperCount(): number {
    return this.#sleepers.size;
  }

  now(): number {
    return this.#nowMs + this.#setByMs;
  }

  /** Somebody sets the clock of the machine; no time passes. */
  set(byMs: number): void {
    this.#setByMs += byMs;
  }

  monotonic(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = (settle: () => void) => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", onAbort);
        settle();
      };
      const sleeper = { atMs: this.#nowMs + ms, wake: () => end(resolve) };
      const onAbort = () => end(() => reject(signal?.reason));
      signal?.addEventListener("abort", onAbort);
      this.#sleepers.add(sleeper);
    });
  }

  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settled(this.#turns);
    for (let next = this.#next(); next !== undefined && next.atMs <= endMs; next = this.#next()) {
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.wake();
      await settled(this.#turns);
    }
    this.#nowMs = endMs;
  }

  /** Lets the time pass until the condition holds, an hour at most; gives how long that took. */
  async passUntil(condition: () => boolean): Promise<number> {
    const startMs = this.#nowMs;
    while (!condition()) {
      if (this.#nowMs - startMs > HOUR_MS) throw new Error("an hour passed in vain");
      await this.pass(1000);
    }
    return this.#nowMs - startMs;
  }

  /** Time passes without anything running, as in a suspended process. */
  async suspend(ms: number): Promise<void> {
    this.#nowMs += ms;
    await this.pass(0);
  }

  /** Of those of one moment, who slept first. */
  #next(): Sleeper | undefined {
    let next: Sleeper | undefined;
    for (const sleeper of this.#sleepers) if (next === undefined || sleeper.atMs < next.atMs) next = sleeper;
    return next;
  }
}

/** Lets everything that can run without time passing run. */
export async function settled(turns = TURNS): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (hashing > 0) turn = -1;
  }
}
