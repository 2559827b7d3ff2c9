/** Bytes of blocks that may be held, that are, and that are being written. Kept by the block stores of both builds. */
import { quotaSpent } from "./errors.ts";

export class BlockQuota {
  maxBytes: number;
  readonly #limit: string;
  #usedBytes: number;
  /** Bytes of writes under way, taken off before the first of them is written. */
  #reservedBytes = 0;

  /** `limit`: what sets `maxBytes`, as a person who has reached it is told. */
  constructor(limit: string, maxBytes: number, usedBytes: number) {
    this.#limit = limit;
    this.maxBytes = maxBytes;
    this.#usedBytes = usedBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get restBytes(): number {
    return this.maxBytes - this.#usedBytes - this.#reservedBytes;
  }

  /** Writes what takes so many bytes, if there is room for them. @throws SharingError `storage_full` */
  async spend(sizeBytes: number, write: () => Promise<void>): Promise<void> {
    if (sizeBytes > this.restBytes) throw quotaSpent(this.#limit);
    this.#reservedBytes += sizeBytes;
    try {
      await write();
    } finally {
      this.#reservedBytes -= sizeBytes;
    }
    this.#usedBytes += sizeBytes;
  }

  giveBack(sizeBytes: number): void {
    this.#usedBytes -= sizeBytes;
  }
}
