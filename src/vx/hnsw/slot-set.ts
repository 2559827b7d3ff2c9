/** A set of slots as bits: what a filter lets through. Made by the engine from metadata, read by the graphs. */
export class SlotSet {
  /** Bit i of the set is bit i & 31 of word i >> 5. */
  readonly words: Uint32Array;

  /** An empty set for slots below `slotLimit`. */
  constructor(slotLimit: number) {
    this.words = new Uint32Array((slotLimit + 31) >>> 5);
  }

  static of(words: Uint32Array): SlotSet {
    const set = new SlotSet(words.length * 32);
    set.words.set(words);
    return set;
  }

  /**
   * How many are in it: the bits of each word in pairs, then in fours and eights, then all (Warren, 2012, "Hacker's
   * Delight", 5-1).
   */
  get count(): number {
    let count = 0;
    for (const word of this.words) {
      const pairs = word - ((word >>> 1) & 0x55555555);
      const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
      count += Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    }
    return count;
  }

  /** Slots at or above the set's size are left out. */
  add(slot: number): void {
    const word = this.words[slot >>> 5];
    if (word !== undefined) this.words[slot >>> 5] = word | (1 << (slot & 31));
  }

  remove(slot: number): void {
    const word = this.words[slot >>> 5];
    if (word !== undefined) this.words[slot >>> 5] = word & ~(1 << (slot & 31));
  }

  addAll(slots: Iterable<number>): void {
    for (const slot of slots) this.add(slot);
  }

  /** The slots that are also in another set. */
  and(other: SlotSet): SlotSet {
    const both = new SlotSet(this.words.length * 32);
    for (const [i, word] of this.words.entries()) both.words[i] = word & (other.words[i] ?? 0);
    return both;
  }

  has(slot: number): boolean {
    return (((this.words[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  /** Those from `first` to before `end`. */
  *between(first: number, end: number): Generator<number> {
    for (let at = first >>> 5; at <= (end - 1) >>> 5; at++) {
      for (let rest = this.words[at] ?? 0; rest !== 0; rest &= rest - 1) {
        const slot = at * 32 + 31 - Math.clz32(rest & -rest);
        if (slot >= first && slot < end) yield slot;
      }
    }
  }
}
