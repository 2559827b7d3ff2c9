/**
 * How many things each has, and who has the most, which is found without a look at all: with a hundred thousand that takes
 * milliseconds, and a stranger's message has it looked for. Used by provider-records, capped-dht, host-line and catalogues.
 */
export class Counts {
  readonly #counts = new Map<string, number>();
  /** Those that have so many. */
  readonly #having = new Map<number, Set<string>>();
  #most = 0;

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** One of those that have the most; undefined where nobody has any. */
  get most(): string | undefined {
    const [first] = this.#having.get(this.#most) ?? [];
    return first;
  }

  /** It has one more, or one less. */
  change(name: string, by: 1 | -1): void {
    const before = this.of(name);
    const now = before + by;
    const others = this.#having.get(before);
    others?.delete(name);
    if (others?.size === 0) this.#having.delete(before);
    if (now === 0) {
      this.#counts.delete(name);
    } else {
      this.#counts.set(name, now);
      this.#having.set(now, (this.#having.get(now) ?? new Set()).add(name));
    }
    // Where nobody has as many as the most any more, that is who had.
    if (now > this.#most || !this.#having.has(this.#most)) this.#most = now;
  }
}
