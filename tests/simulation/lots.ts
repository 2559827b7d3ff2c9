/** Numbers that follow from a seed, and what is drawn by them. Source: mulberry32 by Tommy Ettinger, public domain. */

export class Lots {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, the greatest included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Undefined of none. */
  oneOf<T>(all: readonly T[]): T | undefined {
    return all[Math.floor(this.next() * all.length)];
  }

  /** One of them, as often as its weight says. */
  weighed<T extends { weight: number }>(all: readonly T[]): T | undefined {
    let rest = this.next() * all.reduce((sum, { weight }) => sum + weight, 0);
    return all.find(({ weight }) => {
      rest -= weight;
      return rest < 0;
    });
  }

  /** For something that draws on its own, whatever the others draw. */
  fork(): Lots {
    return new Lots(Math.floor(this.next() * 2 ** 32));
  }
}
