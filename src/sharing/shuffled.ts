/** Draws an order for things of which none should come first by rule. Called by rarity, and wherever peers are chosen. */

/** The same array in an order of which each is as likely (Fisher and Yates). `random`: at least 0, below 1. */
export function shuffled<T extends Int32Array | unknown[]>(all: T, random: () => number): T {
  for (let end = all.length; end > 1; end--) {
    const drawn = Math.floor(random() * end);
    const last = all[end - 1] as T[number];
    all[end - 1] = all[drawn] as T[number];
    all[drawn] = last;
  }
  return all;
}
