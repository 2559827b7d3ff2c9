/**
 * Gathers changes of blocks into transactions. Made by blocks-work; calls IdbBlocks.apply. The first change begins a
 * transaction at once; what comes while it runs goes together into the next, which begins when it ends, or before when
 * it is full: so that one is prepared while the other is written.
 */
import type { BlockChange } from "./idb-blocks.ts";
import { BATCH_BYTES, BATCH_CHANGES, BATCHES_AT_ONCE } from "./limits.ts";

interface Waiting {
  change: BlockChange;
  resolve(): void;
  reject(error: unknown): void;
}

export class BlocksBatches {
  readonly #apply: (changes: readonly BlockChange[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  readonly #running = new Set<Promise<void>>();

  constructor(apply: (changes: readonly BlockChange[]) => Promise<void>) {
    this.#apply = apply;
  }

  /** Settles when the change is in the database. Changes are made in the order of the calls. */
  add(change: BlockChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#waitingBytes += sizeOf(change);
      this.#startDue();
    });
  }

  /** Settles when all that was added has ended. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #startDue(): void {
    const isFull = () => this.#waitingBytes >= BATCH_BYTES || this.#waiting.length >= BATCH_CHANGES;
    while (
      this.#waiting.length > 0 &&
      (this.#running.size === 0 || (isFull() && this.#running.size < BATCHES_AT_ONCE))
    ) {
      const running = this.#run(this.#takeBatch()).finally(() => {
        this.#running.delete(running);
        this.#startDue();
      });
      this.#running.add(running);
    }
  }

  #takeBatch(): Waiting[] {
    let sizeBytes = 0;
    let count = 0;
    for (const { change } of this.#waiting) {
      if (count === BATCH_CHANGES || (count > 0 && sizeBytes + sizeOf(change) > BATCH_BYTES)) break;
      sizeBytes += sizeOf(change);
      count += 1;
    }
    this.#waitingBytes -= sizeBytes;
    return this.#waiting.splice(0, count);
  }

  async #run(batch: Waiting[]): Promise<void> {
    try {
      await this.#apply(batch.map(({ change }) => change));
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

function sizeOf(change: BlockChange): number {
  return change.type === "put" ? change.bytes.byteLength : 0;
}
