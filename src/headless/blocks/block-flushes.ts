/**
 * When blocks become durable: after some megabytes by themselves, at once when asked, all writes under way together.
 * Made by FsBlockStore, which hands it every write; calls segment-files and block-index.
 */
import { Coalesced } from "../files/coalesced.ts";
import { diskError } from "../files/disk-errors.ts";
import { FLUSH_BYTES, MAX_UNFLUSHED_BYTES } from "../limits.ts";
import { type BlockIndex, type DurableMark, isDurable } from "./block-index.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";

export interface BlockFlushesOptions {
  index: BlockIndex;
  segments: SegmentFiles;
  /** What was durable before. */
  durable: DurableMark;
  /** The number of the first flush: higher than any that came before. */
  firstFlush: number;
  /** Blocks at such places are not stored any more, since the disk said that. */
  forget: (isLost: (place: BlockPlace) => boolean, error: unknown) => Promise<void>;
  /** A flush that nobody waits for failed: the next one does its work too. */
  onError: (error: unknown) => void;
}

export class BlockFlushes {
  readonly #options: BlockFlushesOptions;
  /** Writes whose block is not yet in the index. */
  readonly #writing = new Set<Promise<unknown>>();
  readonly #flushes = new Coalesced(() => this.#flush());
  #unflushedBytes = 0;
  #durable: DurableMark;
  #next: number;

  constructor(options: BlockFlushesOptions) {
    this.#options = options;
    this.#durable = options.durable;
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

  /** Makes durable which blocks were deleted, and none that was written. */
  async keepDeletions(): Promise<void> {
    await this.#options.index.setDurable(this.#durable);
  }

  /** Settles when the writes under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#writing);
  }

  async #flush(): Promise<void> {
    const { index, segments } = this.#options;
    const durable = { ...segments.position(), flush: this.#next++ };
    const unflushedBytes = this.#unflushedBytes;
    const lost = new Set<number>();
    await this.settled();
    try {
      await segments.sync((segment) => lost.add(segment));
      await index.setDurable(durable);
    } catch (error) {
      if (lost.size > 0) await this.#forgetLost(lost, error);
      throw diskError(error);
    }
    this.#durable = durable;
    this.#unflushedBytes -= unflushedBytes;
  }

  /** What is put again is written again, where it would be taken for what is here. */
  async #forgetLost(segments: ReadonlySet<number>, error: unknown): Promise<void> {
    const { forget, onError } = this.#options;
    const durable = this.#durable;
    const isLost = (place: BlockPlace) => segments.has(place.segment) && !isDurable(place, durable);
    await forget(isLost, error).catch(onError);
  }
}
