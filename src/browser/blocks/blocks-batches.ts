/**
 * Gathers changes of blocks into transactions. Made by blocks-work; calls IdbBlocks.apply. The first change begins a
 * transaction at once; what comes while it runs goes together into the next, which begins when it ends, or before when
 * it is full: so that one is prepared while the other is written. Only changes after which more are to come wait for
 * those, a moment at most: one transaction for a few chunks of a download costs less than one for each.
 */
import {
  BATCH_BYTES,
  BATCH_CHANGES,
  BATCHES_AT_ONCE,
  WORTHWHILE_BATCH_BYTES,
  WORTHWHILE_BATCH_PAUSE_MS,
} from "../limits.ts";
import type { BlockChange } from "./idb-blocks.ts";

interface Waiting {
  change: BlockChange;
  resolve(): void;
  reject(error: unknown): void;
}

export class BlocksBatches {
  readonly #apply: (changes: readonly BlockChange[]) => Promise<void>;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Nobody waits for any of them before more come. */
  #moreToCome = true;
  /** Ends the wait for more. */
  #pause: ReturnType<typeof setTimeout> | undefined;
  readonly #running = new Set<Promise<void>>();

  constructor(apply: (changes: readonly BlockChange[]) => Promise<void>) {
    this.#apply = apply;
  }

  /** Settles when the change is in the database. Changes are made in the order of the calls. */
  add(change: BlockChange, moreToCome = false): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject });
      this.#waitingBytes += sizeOf(change);
      this.#moreToCome &&= moreToCome;
      this.#startDue();
    });
  }

  /** Settles when all that was added has ended. */
  async idle(): Promise<void> {
    this.#waitNoMore();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #waitNoMore(): void {
    this.#moreToCome = false;
    this.#startDue();
  }

  #startDue(): void {
    clearTimeout(this.#pause);
    while (this.#waiting.length > 0 && this.#isDue) {
      const running = this.#run(this.#takeBatch()).finally(() => {
        this.#running.delete(running);
        this.#startDue();
      });
      this.#running.add(running);
    }
    if (this.#waiting.length === 0) this.#moreToCome = true;
    else if (this.#running.size === 0)
      this.#pause = setTimeout(() => this.#waitNoMore(), WORTHWHILE_BATCH_PAUSE_MS);
  }

  get #isDue(): boolean {
    if (this.#running.size === 0) return !this.#moreToCome || this.#waitingBytes >= WORTHWHILE_BATCH_BYTES;
    const isFull = this.#waitingBytes >= BATCH_BYTES || this.#waiting.length >= BATCH_CHANGES;
    return isFull && this.#running.size < BATCHES_AT_ONCE;
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
