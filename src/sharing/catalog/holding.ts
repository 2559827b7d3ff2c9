/**
 * Which chunks of one file are held here. The transfer marks them; serving, reading and progress watch.
 */
import { bitfieldBytes, clearBit, hasBit, setBit } from "../bitfield.ts";
import type { HaveUpdate } from "../ports.ts";

/** Told the chunk that has come, or nothing when anything else about the file changed. */
export type HoldingListener = (arrived?: number) => void;

export class Holding {
  readonly chunkCount: number;
  readonly #bits: Uint8Array;
  readonly #listeners = new Set<HoldingListener>();
  #heldCount = 0;
  #lossCount = 0;

  constructor(chunkCount: number) {
    this.chunkCount = chunkCount;
    this.#bits = new Uint8Array(bitfieldBytes(chunkCount));
  }

  static complete(chunkCount: number): Holding {
    const holding = new Holding(chunkCount);
    for (let index = 0; index < chunkCount; index++) setBit(holding.#bits, index);
    holding.#heldCount = chunkCount;
    return holding;
  }

  get heldCount(): number {
    return this.#heldCount;
  }

  /** How often a chunk that was held has turned out to be lost. */
  get lossCount(): number {
    return this.#lossCount;
  }

  get isComplete(): boolean {
    return this.#heldCount === this.chunkCount;
  }

  has(index: number): boolean {
    return hasBit(this.#bits, index);
  }

  mark(index: number): void {
    if (this.has(index)) return;
    setBit(this.#bits, index);
    this.#heldCount += 1;
    this.notify(index);
  }

  /** A chunk that was held turned out to be missing or damaged on the medium. */
  unmark(index: number): void {
    if (!this.has(index)) return;
    clearBit(this.#bits, index);
    this.#heldCount -= 1;
    this.#lossCount += 1;
    this.notify();
  }

  /** What to tell a peer that watches. */
  state(): HaveUpdate {
    if (this.isComplete) return { kind: "all" };
    if (this.#heldCount === 0) return { kind: "none" };
    return { kind: "bitfield", bits: this.#bits.slice() };
  }

  /** Calls back after each change until the function returned is called. */
  watch(listener: HoldingListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes watchers look again: a chunk came, the file was removed, or its transfer ended. */
  notify(arrived?: number): void {
    for (const listener of this.#listeners) listener(arrived);
  }
}
