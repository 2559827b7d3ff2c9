/**
 * What lies where in the kernel's memory: the one file that makes arrays of its pointers, but for the regions that helpers
 * are given. Made and called by Kernel. Growing detaches views, which are then made anew; where no search waits, at each use.
 */
import type { Neighbours } from "./graph.ts";
import type { KernelExports } from "./kernel-exports.ts";
import type { SlotSet } from "./slot-set.ts";

/** Arenas that a state is made of, by their number in the kernel. */
export type Arena = "links" | "vectors" | "ids";
export const arenaNumbers: Record<Arena, number> = { links: 0, vectors: 1, ids: 2 };

export class KernelMemory {
  readonly #exports: KernelExports;
  readonly #dimension: number;
  readonly #m: number;
  readonly #inputAddress: number;
  /** All of memory; of shared memory, as it was when it was last too short. */
  #whole: Uint8Array = new Uint8Array(0);
  #input: Float32Array = new Float32Array(0);

  constructor(exports: KernelExports, { dimension, m }: { dimension: number; m: number }) {
    this.#exports = exports;
    this.#dimension = dimension;
    this.#m = m;
    this.#inputAddress = exports.inputAddress();
  }

  /** Slots ever used. */
  get slotLimit(): number {
    return this.#exports.slots() >>> 0;
  }

  /** Puts a vector where the kernel takes its input from. */
  putInput(vector: ArrayLike<number>): void {
    if (this.#input.length === 0) this.#input = this.#floats(this.#inputAddress, this.#dimension);
    this.#input.set(vector);
  }

  /** Puts the slots that a search may find where it looks for them. False if memory has run out. */
  putFilter(allow: SlotSet): boolean {
    const address = this.#exports.filterAddress() >>> 0;
    if (address === 0) return false;
    const words = new Uint32Array(this.#exports.memory.buffer, address, (this.slotLimit + 31) >>> 5);
    const given = allow.words.subarray(0, words.length);
    words.set(given);
    words.fill(0, given.length);
    return true;
  }

  /** What the last search found, `count` of them, in one buffer. */
  results(count: number): Neighbours {
    const address = this.#exports.resultsAddress() >>> 0;
    const end = address + count * 12;
    if (end > this.#whole.length) this.#whole = new Uint8Array(this.#exports.memory.buffer);
    const { buffer } = this.#whole.slice(address, end);
    return { ids: new BigUint64Array(buffer, 0, count), distances: new Float32Array(buffer, count * 8) };
  }

  /** The slots of what the last search found. */
  resultSlots(count: number): Uint32Array {
    const address = (this.#exports.resultsAddress() >>> 0) + count * 12;
    return new Uint32Array(this.#exports.memory.buffer, address, count).slice();
  }

  /** The scores of what the last search with negatives found. */
  resultScores(count: number): Float32Array {
    return this.#floats((this.#exports.resultsAddress() >>> 0) + count * 16, count).slice();
  }

  /** A copy of a slot's vector. */
  vector(slot: number): Float32Array {
    return this.#floats(this.#exports.vectorAddress(slot), this.#dimension).slice();
  }

  /** The states of all slots. */
  states(): Uint8Array {
    return this.#bytes(this.#exports.statesAddress(), this.slotLimit);
  }

  /** One bit a slot, set where it is live. */
  liveWords(): Uint32Array {
    const address = this.#exports.liveAddress() >>> 0;
    return new Uint32Array(this.#exports.memory.buffer, address, (this.slotLimit + 31) >>> 5);
  }

  bytesASlot(arena: Arena): number {
    return { links: this.#m * 8, vectors: Math.ceil(this.#dimension / 4) * 16, ids: 8 }[arena];
  }

  /** The bytes of an arena's slots, segment by segment. */
  arena(arena: Arena): Uint8Array[] {
    const slotsOfSegment = this.#exports.slotsOfSegment();
    return Array.from({ length: Math.ceil(this.slotLimit / slotsOfSegment) }, (_, segment) => {
      const slots = Math.min(this.slotLimit - segment * slotsOfSegment, slotsOfSegment);
      const address = this.#exports.arenaAddress(arenaNumbers[arena], segment);
      return this.#bytes(address, slots * this.bytesASlot(arena));
    });
  }

  /** Copies an arena's bytes from `offset` on. */
  readArena(arena: Arena, offset: number, into: Uint8Array): void {
    const segmentBytes = this.#exports.slotsOfSegment() * this.bytesASlot(arena);
    for (let done = 0; done < into.byteLength; ) {
      const at = offset + done;
      const segment = Math.floor(at / segmentBytes);
      const within = at - segment * segmentBytes;
      const length = Math.min(into.byteLength - done, segmentBytes - within);
      const address = this.#exports.arenaAddress(arenaNumbers[arena], segment) >>> 0;
      into.set(this.#bytes(address + within, length), done);
      done += length;
    }
  }

  /** The upper lists that were packed last. */
  packed(byteLength: number): Uint8Array {
    return this.#bytes(this.#exports.packedAddress(), byteLength);
  }

  /** Where the upper lists of a state go. */
  uppers(byteLength: number): Uint8Array {
    return this.#bytes(this.#exports.uppersAddress(), byteLength);
  }

  #floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#exports.memory.buffer, address >>> 0, length);
  }

  #bytes(address: number, length: number): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer, address >>> 0, length);
  }
}
