/**
 * What strangers have begun and not finished: some of each, and some in all. For what comes before libp2p counts a connection.
 * Used by the listeners of transports, which name whoever begins.
 */
import { MAX_PENDING_CONNECTIONS } from "../limits.ts";

export class HalfOpen {
  readonly #maxOfEach: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(maxOfEach: number) {
    this.#maxOfEach = maxOfEach;
  }

  /** Gives what is to be called once at its end; undefined when there is no room. */
  begin(who: string): (() => void) | undefined {
    const count = this.#counts.get(who) ?? 0;
    if (count >= this.#maxOfEach || this.#total >= MAX_PENDING_CONNECTIONS) return undefined;
    this.#counts.set(who, count + 1);
    this.#total += 1;
    return () => this.#end(who);
  }

  #end(who: string): void {
    const left = (this.#counts.get(who) ?? 0) - 1;
    if (left > 0) this.#counts.set(who, left);
    else this.#counts.delete(who);
    this.#total -= 1;
  }
}
