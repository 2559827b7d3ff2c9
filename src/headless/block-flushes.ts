/**
 * When blocks become durable: after some megabytes by themselves, at once when asked, all writes under way together.
 * Made by FsBlockStore, which hands it every write; calls segment-files and block-index.
 */
import type { BlockIndex } from "./block-index.ts";
import { Coalesced } from "./coalesced.ts";
import { diskError } from "./disk-errors.ts";
import { FLUSH_BYTES, MAX_UNFLUSHED_BYTES } from "./limits.ts";
import type { SegmentFiles } from "./segment-files.ts";

export interface BlockFlushesOptions {
  index: BlockIndex;
  segments: SegmentFiles;
  /** The number of the first flush: higher than any that came before. */
  firstFlush: number;
  /** A flush that nobody waits for failed: the next one does its work too. */
  onError: (error: unknown) => void;
}

export class BlockFlushes {
  readonly #options: BlockFlushesOptions;
  /** Writes whose block is not yet in the index. */
  readonly #writing = new Set<Promise<unknown>>();
  readonly #flushes = new Coalesced(() => this.#flush());
  #unflushedBytes = 0;
  #next: number;

  constructor(options: BlockFlushesOptions) {
    this.#options = options;
    this.#next = options.firstFlush;
  }

  /** The number of the flush that will make durable what is written from now on. */
  get next(): number {
    return this.#next;
  }

  /** A write that the next flush waits for. */
  async cover<T>(sizeBytes: number, writing: Promise<T>): Promise<T> {
    this.#writing.add(writing);
    try {
      const result = await writing;
      this.#unflushedBytes += sizeBytes;
      return result;
    } finally {
      this.#writing.delete(writing);
    }
  }

  /** Settles when all that was written before is durable. */
  async request(): Promise<void> {
    await this.#flushes.request();
  }

  /** What is not durable grows no further than its limit. */
  async requestSoon(): Promise<void> {
    if (this.#unflushedBytes >= MAX_UNFLUSHED_BYTES) await this.request();
    else if (this.#unflushedBytes >= FLUSH_BYTES && !this.#flushes.isRunning)
      this.request().catch(this.#options.onError);
  }

  /** Settles when the writes under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  async #flush(): Promise<void> {
    const { index, segments } = this.#options;
    const durable = { ...segments.position(), flush: this.#next++ };
    const unflushedBytes = this.#unflushedBytes;
    await this.settled();
    try {
      await segments.sync();
      await index.setDurable(durable);
    } catch (error) {
      throw diskError(error);
    }
    this.#unflushedBytes -= unflushedBytes;
  }
}
