/**
 * Which slots hold a record, and which changed when: what keeps the sets of filters right. Kept by the table; read by
 * the filter scan.
 */
import { MAX_CHANGED_SLOTS } from "./limits.ts";

export class SlotMap {
  /** Slots that hold a record. */
  count = 0;
  /** Every slot is below this. */
  limit = 0;
  /** Grows with every change. */
  version = 0;

  #words = new Uint32Array(1024);
  /** The last slots that changed: version v's at v modulo its length. */
  readonly #changed = new Uint32Array(MAX_CHANGED_SLOTS);
  /** Slots that the change under way has turned over, to turn them back. */
  #turned: number[] | undefined;

  has(slot: number): boolean {
    return (((this.#words[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  add(slot: number): void {
    if (slot >>> 5 >= this.#words.length) this.#grow(slot);
    this.limit = Math.max(this.limit, slot + 1);
    if (!this.has(slot)) this.#turn(slot);
    this.#note(slot);
  }

  remove(slot: number): void {
    if (this.has(slot)) this.#turn(slot);
    this.#note(slot);
  }

  /** Does work that adds and removes; where it throws, they hold what they held. */
  change(work: () => void): void {
    this.#turned = [];
    try {
      work();
    } catch (error) {
      const turned = this.#turned;
      this.#turned = undefined;
      for (const slot of turned) this.#turn(slot);
      throw error;
    } finally {
      this.#turned = undefined;
    }
  }

  /** Whether the slots that changed since a version are not too many to know. */
  knowsSince(version: number): boolean {
    return this.version - version <= MAX_CHANGED_SLOTS;
  }

  /** Those that changed since a version, until a later one. */
  changed(since: number, until: number): Set<number> {
    const slots = new Set<number>();
    for (let v = since + 1; v <= until; v++) slots.add(this.#changed[v % MAX_CHANGED_SLOTS] as number);
    return slots;
  }

  #turn(slot: number): void {
    const word = this.#words[slot >>> 5] as number;
    this.#words[slot >>> 5] = word ^ (1 << (slot & 31));
    this.count += this.has(slot) ? 1 : -1;
    this.#turned?.push(slot);
  }

  #note(slot: number): void {
    this.version += 1;
    this.#changed[this.version % MAX_CHANGED_SLOTS] = slot;
  }

  #grow(slot: number): void {
    const words = new Uint32Array(Math.max((slot >>> 5) + 1, this.#words.length * 2));
    words.set(this.#words);
    this.#words = words;
  }
}
