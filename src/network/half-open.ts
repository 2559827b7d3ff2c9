/**
 * What strangers have begun and not finished: some of each, and some in all. For what comes before libp2p counts a connection.
 * Used by the listeners of transports, which name whoever begins by its host.
 */
import { MAX_PENDING_CONNECTIONS, MAX_PENDING_PER_HOST } from "./limits.ts";

export class HalfOpen {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** Gives what is to be called once at its end; undefined when there is no room. */
  begin(who: string): (() => void) | undefined {
    const count = this.#counts.get(who) ?? 0;
    if (count >= MAX_PENDING_PER_HOST || this.#total >= MAX_PENDING_CONNECTIONS) return undefined;
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
