/**
 * Keeps the reader out while a graph changes, and changes away while the reader searches. Two words in the graph's shared memory:
 * the gate's state, and a number that grows with every change. Held by both ends, see graph-reader.ts.
 */

const STATE = 0;
const VERSION = 1;

const OPEN = 0;
/** The reader is in. */
const READ = 1;
/** The graph changes. */
const CLOSED = 2;
/** The reader is in, and the graph waits for it to leave. */
const AWAITED = 3;

export const GATE_BYTES = 8;

export class ReadGate {
  readonly #words: Int32Array;

  constructor(memory: ArrayBufferLike, address: number) {
    this.#words = new Int32Array(memory, address, 2);
  }

  /** Told from what it was before any change since. */
  get version(): number {
    return Atomics.load(this.#words, VERSION);
  }

  /** The reader: false while the graph changes. It never waits. */
  tryEnter(): boolean {
    return Atomics.compareExchange(this.#words, STATE, OPEN, READ) === OPEN;
  }

  /** The reader, as soon as it has searched. Whoever waits goes first, however soon it would enter again. */
  leave(): void {
    if (Atomics.compareExchange(this.#words, STATE, READ, OPEN) === READ) return;
    Atomics.store(this.#words, STATE, CLOSED);
    Atomics.notify(this.#words, STATE);
  }

  /** The graph's thread, before a change: waits for a search that is under way. */
  close(): void {
    while (Atomics.compareExchange(this.#words, STATE, OPEN, CLOSED) !== OPEN) {
      if (Atomics.compareExchange(this.#words, STATE, READ, AWAITED) !== READ) continue;
      while (Atomics.load(this.#words, STATE) === AWAITED) Atomics.wait(this.#words, STATE, AWAITED);
      return;
    }
  }

  /** The graph's thread, after a change. */
  open(): void {
    Atomics.add(this.#words, VERSION, 1);
    Atomics.store(this.#words, STATE, OPEN);
  }
}
