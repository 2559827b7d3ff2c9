/**
 * What a peer holds of one file, and what of that is news to the reader. Both ends keep one a watch: however slow
 * the reader, the news never grow past one field, because too many single indexes turn into the field itself.
 */
import type { HaveUpdate } from "../sharing/ports.ts";
import { MAX_HAVE_INDEXES } from "./limits.ts";

export class HaveState {
  readonly #chunkCount: number;
  #all = false;
  /** Grows with the highest index set, so a claimed chunk count alone takes no memory. */
  #bits = new Uint8Array(0);
  #newIndexes: number[] = [];
  #replaced = false;

  constructor(chunkCount: number) {
    this.#chunkCount = chunkCount;
  }

  /** Indexes and bits past the file's end are left out. */
  apply(update: HaveUpdate): void {
    switch (update.kind) {
      case "all":
      case "none":
        this.#all = update.kind === "all";
        this.#bits = new Uint8Array(0);
        this.#replace();
        return;
      case "bitfield":
        this.#all = false;
        this.#bits = new Uint8Array(0);
        this.replaceBits(0, update.bits);
        return;
      case "have":
        for (const index of update.indexes) this.addRun(index, 1);
    }
  }

  replaceBits(offsetBytes: number, bits: Uint8Array): void {
    const fieldBytes = Math.ceil(this.#chunkCount / 8);
    if (this.#all) {
      this.#all = false;
      this.#bits = new Uint8Array(fieldBytes).fill(0xff);
    }
    const taken = bits.subarray(0, Math.max(0, fieldBytes - offsetBytes));
    if (taken.length > 0) {
      this.#reserve(offsetBytes + taken.length);
      this.#bits.set(taken, offsetBytes);
      this.#clearTail();
    }
    this.#replace();
  }

  addRun(start: number, count: number): void {
    if (this.#all) return;
    const end = Math.min(start + count, this.#chunkCount);
    for (let index = start; index < end; ) {
      const isWholeByte = (index & 7) === 0 && index + 8 <= end;
      if (isWholeByte && this.#isByteDone(index >> 3)) index += 8;
      else this.#add(index++);
    }
  }

  /** Sets the byte where the single indexes are no news: a run of thousands is told in six bytes. */
  #isByteDone(place: number): boolean {
    if (this.#bits[place] === 0xff) return true;
    if (!this.#replaced) return false;
    this.#reserve(place + 1);
    this.#bits[place] = 0xff;
    return true;
  }

  /** The news since the last call, shortest form first, or undefined. */
  take(): HaveUpdate | undefined {
    if (this.#replaced) {
      this.#replaced = false;
      if (this.#all) return { kind: "all" };
      if (this.#bits.length === 0) return { kind: "none" };
      const bits = new Uint8Array(Math.ceil(this.#chunkCount / 8));
      bits.set(this.#bits);
      return { kind: "bitfield", bits };
    }
    if (this.#newIndexes.length === 0) return undefined;
    const indexes = this.#newIndexes;
    this.#newIndexes = [];
    return { kind: "have", indexes };
  }

  #add(index: number): void {
    const place = index >> 3;
    const mask = 0x80 >> (index & 7);
    this.#reserve(place + 1);
    const byte = this.#bits[place] as number;
    if ((byte & mask) !== 0) return;
    this.#bits[place] = byte | mask;
    if (this.#replaced) return;
    if (this.#newIndexes.length === MAX_HAVE_INDEXES) this.#replace();
    else this.#newIndexes.push(index);
  }

  #replace(): void {
    this.#replaced = true;
    this.#newIndexes = [];
  }

  #reserve(byteCount: number): void {
    if (byteCount <= this.#bits.length) return;
    const fieldBytes = Math.ceil(this.#chunkCount / 8);
    const grown = new Uint8Array(Math.min(fieldBytes, Math.max(byteCount, this.#bits.length * 2)));
    grown.set(this.#bits);
    this.#bits = grown;
  }

  #clearTail(): void {
    const usedBits = this.#chunkCount & 7;
    const last = (this.#chunkCount - 1) >> 3;
    if (usedBits !== 0 && last < this.#bits.length) {
      this.#bits[last] = (this.#bits[last] as number) & (0xff00 >> usedBits);
    }
  }
}
