/**
 * The texts of metadata, by slot, in a memory of their own: another thread may read them where that is shared. Read here;
 * written by TextStore, while nobody else reads.
 *
 * | offset | content |
 * |---|---|
 * | 0 | u32, where the table of blocks is |
 * | 4 | u32, slots in it |
 * | 64 | the table and the blocks, each on a multiple of 16 bytes |
 *
 * The table has a u32 a slot: where its block begins, 0 for none. A block is u32, the bytes of its text, then the text in UTF-8.
 */

export const HEAD_BYTES = 64;
export const TABLE_AT = 0;
export const TABLE_SLOTS = 1;
/** Of a block, before its text. */
export const LENGTH_BYTES = 4;

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Texts {
  readonly memory: WebAssembly.Memory;
  #bytes: Uint8Array;
  #words: Uint32Array;

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
  }

  /** The text in a slot, undefined if there is none. */
  get(slot: number): string | undefined {
    const bytes = this.bytesOf(slot);
    return bytes && decoder.decode(bytes);
  }

  /** A view of the text in a slot, until the next change. */
  bytesOf(slot: number): Uint8Array | undefined {
    const block = this.blockOf(slot);
    if (block === 0) return undefined;
    const start = block + LENGTH_BYTES;
    const end = start + this.wordAt(block);
    if (end > this.#bytes.length) this.renewViews();
    return this.#bytes.subarray(start, end);
  }

  protected blockOf(slot: number): number {
    return slot < this.wordAt(TABLE_SLOTS * 4) ? this.wordAt(this.wordAt(TABLE_AT * 4) + slot * 4) : 0;
  }

  /** The u32 at an address, of memory that may have grown since it was looked at. */
  protected wordAt(address: number): number {
    if (address >= this.#bytes.length) this.renewViews();
    return this.#words[address >>> 2] as number;
  }

  protected get bytes(): Uint8Array {
    return this.#bytes;
  }

  protected get words(): Uint32Array {
    return this.#words;
  }

  protected renewViews(): void {
    this.#bytes = new Uint8Array(this.memory.buffer);
    this.#words = new Uint32Array(this.memory.buffer);
  }
}
