/**
 * Writes the texts of metadata. Kept by the table. What a slot leaves is used again for texts of about its size: sizes go up by
 * a quarter at most, so no text has much more room than it needs.
 */
import { VxError } from "../errors.ts";
import { FIRST_TEXT_SLOTS, MAX_TEXT_MEMORY_BYTES, TEXT_MEMORY_GROWTH } from "./limits.ts";
import { HEAD_BYTES, LENGTH_BYTES, TABLE_AT, TABLE_SLOTS, Texts } from "./texts.ts";

const PAGE_BYTES = 65_536;
const GRAIN_BYTES = 16;
/** Up to here every multiple of the grain is a size of its own. */
const FINE_BYTES = 256;

export class TextStore extends Texts {
  /** Where memory begins that was never used. */
  #top = HEAD_BYTES;
  /** By size, the first block that is free; each begins with where the next one is. */
  readonly #free = new Map<number, number>();
  /** By slot, the block that it had before the change under way. */
  #former: Map<number, number> | undefined;

  /** Another thread can be given the memory if it is shared. */
  constructor({ shared }: { shared: boolean }) {
    super(new WebAssembly.Memory({ initial: 1, maximum: MAX_TEXT_MEMORY_BYTES / PAGE_BYTES, shared }));
  }

  get memoryBytes(): number {
    return this.bytes.length;
  }

  /** Does all of the work or, where it throws, none. */
  change<T>(work: () => T): T {
    const former = new Map<number, number>();
    this.#former = former;
    try {
      const result = work();
      for (const block of former.values()) this.#release(block);
      return result;
    } catch (error) {
      for (const [slot, block] of former) {
        this.#release(this.blockOf(slot));
        this.#setBlock(slot, block);
      }
      throw error;
    } finally {
      this.#former = undefined;
    }
  }

  /** Takes a text in UTF-8, in place of what the slot held. @throws VxError `capacity_exceeded` */
  set(slot: number, text: Uint8Array): void {
    this.#makeRoomFor(slot);
    const block = this.#take(LENGTH_BYTES + text.length);
    this.words[block >>> 2] = text.length;
    this.bytes.set(text, block + LENGTH_BYTES);
    this.#put(slot, block);
  }

  delete(slot: number): void {
    if (this.blockOf(slot) !== 0) this.#put(slot, 0);
  }

  #put(slot: number, block: number): void {
    const old = this.blockOf(slot);
    if (this.#former === undefined || this.#former.has(slot)) this.#release(old);
    else this.#former.set(slot, old);
    this.#setBlock(slot, block);
  }

  #setBlock(slot: number, block: number): void {
    this.words[(this.wordAt(TABLE_AT * 4) >>> 2) + slot] = block;
  }

  #makeRoomFor(slot: number): void {
    const slots = this.wordAt(TABLE_SLOTS * 4);
    if (slot < slots) return;
    const wanted = Math.max(slot + 1, slots * 2, FIRST_TEXT_SLOTS);
    const former = this.wordAt(TABLE_AT * 4);
    const table = this.#take(wanted * 4);
    const words = this.words;
    words.copyWithin(table >>> 2, former >>> 2, (former >>> 2) + slots);
    words.fill(0, (table >>> 2) + slots, (table >>> 2) + wanted);
    words[TABLE_AT] = table;
    words[TABLE_SLOTS] = wanted;
    if (former !== 0) this.#giveBack(former, sizeOf(slots * 4));
  }

  /** A block for so many bytes. @throws VxError `capacity_exceeded` */
  #take(bytes: number): number {
    const size = sizeOf(bytes);
    const free = this.#free.get(size) ?? 0;
    if (free !== 0) {
      this.#free.set(size, this.wordAt(free));
      return free;
    }
    const block = this.#top;
    this.#growTo(block + size);
    this.#top = block + size;
    return block;
  }

  #release(block: number): void {
    if (block !== 0) this.#giveBack(block, sizeOf(LENGTH_BYTES + this.wordAt(block)));
  }

  #giveBack(block: number, size: number): void {
    this.words[block >>> 2] = this.#free.get(size) ?? 0;
    this.#free.set(size, block);
  }

  #growTo(bytes: number): void {
    const missing = bytes - this.memoryBytes;
    if (missing <= 0) return;
    const spare = Math.min(this.memoryBytes * TEXT_MEMORY_GROWTH, MAX_TEXT_MEMORY_BYTES - this.memoryBytes);
    try {
      this.memory.grow(Math.ceil(Math.max(missing, spare) / PAGE_BYTES));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new VxError("capacity_exceeded", "No memory for more metadata", { cause: error });
    }
    this.renewViews();
  }
}

/** The size of a block that holds so many bytes: of four steps between powers of two, the next. */
function sizeOf(bytes: number): number {
  const step = bytes <= FINE_BYTES ? GRAIN_BYTES : 2 ** (29 - Math.clz32(bytes - 1));
  return Math.ceil(bytes / step) * step;
}
