/**
 * Vectors as they were added, by the slot that the graph keeps them reduced in. Held by ReducedGraph, outside of the memory
 * that the graph can address. A slot's row stays until the slot is used again, which pinning the graph prevents.
 */
import { ORIGINALS_PAGE_BYTES } from "./limits.ts";

export class Originals {
  readonly dimension: number;
  readonly #rowsAPage: number;
  readonly #pages: Float32Array[] = [];

  constructor(dimension: number) {
    this.dimension = dimension;
    this.#rowsAPage = Math.max(1, Math.floor(ORIGINALS_PAGE_BYTES / (dimension * 4)));
  }

  /** Those of the first slots, from what a snapshot keeps of them. */
  static async read(
    dimension: number,
    slots: number,
    read: (places: Uint8Array[]) => Promise<void>,
  ): Promise<Originals> {
    const originals = new Originals(dimension);
    const pageRows = originals.#rowsAPage;
    const places: Uint8Array[] = [];
    for (let first = 0; first < slots; first += pageRows) {
      const bytes = Math.min(pageRows, slots - first) * dimension * 4;
      places.push(new Uint8Array(originals.#addPage().buffer, 0, bytes));
    }
    await read(places);
    return originals;
  }

  get memoryBytes(): number {
    return this.#pages.length * this.#rowsAPage * this.dimension * 4;
  }

  set(slot: number, vector: Float32Array): void {
    while (slot >= this.#pages.length * this.#rowsAPage) this.#addPage();
    this.#row(slot).set(vector);
  }

  /** A copy. */
  get(slot: number): Float32Array {
    return this.#row(slot).slice();
  }

  /** Of the first `slots`, row-major [slots, dimension]; rows are read when they are asked for. */
  part(slots: number): { byteLength: number; read(offset: number, into: Uint8Array): void } {
    const rowBytes = this.dimension * 4;
    const read = (offset: number, into: Uint8Array) => {
      for (let done = 0; done < into.byteLength; ) {
        const slot = Math.floor((offset + done) / rowBytes);
        const row = this.#row(slot);
        const bytes = new Uint8Array(row.buffer, row.byteOffset, row.byteLength);
        const within = offset + done - slot * rowBytes;
        const length = Math.min(into.byteLength - done, rowBytes - within);
        into.set(bytes.subarray(within, within + length), done);
        done += length;
      }
    };
    return { byteLength: slots * rowBytes, read };
  }

  #addPage(): Float32Array {
    const page = new Float32Array(this.#rowsAPage * this.dimension);
    this.#pages.push(page);
    return page;
  }

  /** A view. */
  #row(slot: number): Float32Array {
    const page = this.#pages[Math.floor(slot / this.#rowsAPage)];
    if (page === undefined) throw new RangeError(`Slot ${slot} holds no vector`);
    const start = (slot % this.#rowsAPage) * this.dimension;
    return page.subarray(start, start + this.dimension);
  }
}
