/**
 * Records that have no row yet: after loading, rows are written when something asks for rows, or bit by bit when nobody waits,
 * so that an index is ready before. Kept by the metadata index.
 */
import type { SlotSet } from "../hnsw/slot-set.ts";

export class RowsToCome {
  readonly #words: Uint32Array;
  readonly #idOf: (slot: number) => bigint;
  #count = 0;
  /** All slots are in this word or behind it. */
  #first = 0;

  constructor(slots: SlotSet, idOf: (slot: number) => bigint) {
    this.#words = slots.words;
    this.#idOf = idOf;
    this.#count = slots.count;
  }

  get count(): number {
    return this.#count;
  }

  /** False if the slot is none of them. */
  drop(slot: number): boolean {
    const word = this.#words[slot >>> 5] ?? 0;
    const bit = 1 << (slot & 31);
    if ((word & bit) === 0) return false;
    this.#words[slot >>> 5] = word & ~bit;
    this.#count--;
    return true;
  }

  /** The first of them, `most` and up to 31 more. */
  first(most: number): { slot: number; id: bigint }[] {
    const records: { slot: number; id: bigint }[] = [];
    while (this.#words[this.#first] === 0) this.#first++;
    for (let at = this.#first; at < this.#words.length && records.length < most; at++) {
      for (let rest = this.#words[at] as number; rest !== 0; rest &= rest - 1) {
        const slot = at * 32 + 31 - Math.clz32(rest & -rest);
        records.push({ slot, id: this.#idOf(slot) });
      }
    }
    return records;
  }
}
