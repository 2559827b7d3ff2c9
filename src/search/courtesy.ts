/**
 * Way for transfers: from the first chunk that goes to or comes from a peer until a while after the last, reading, embedding and
 * storing take a hundredth of the time, in small pieces. Made by the indexer; asked by it and by file-texts for each piece.
 */
import { BUSY_REST_FACTOR, MAX_REST_MS, QUIET_MS, REST_STEP_MS } from "./limits.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";

export class Courtesy {
  readonly #traffic: MeaningPorts["traffic"];
  readonly #clock: SearchPorts["clock"];
  #seenBytes: number;
  #movedMs = Number.NEGATIVE_INFINITY;
  /** Until when transfers may have the time to themselves, for what the last piece took. */
  #restedMs = Number.NEGATIVE_INFINITY;

  constructor({ traffic, clock }: Pick<MeaningPorts, "traffic"> & Pick<SearchPorts, "clock">) {
    this.#traffic = traffic;
    this.#clock = clock;
    this.#seenBytes = this.#movedBytes;
  }

  /** Does a piece of work once transfers leave it the time. Throws what the work throws, and the signal's reason. */
  async piece<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#rest(signal);
    const startMs = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      const endMs = this.#clock.monotonic();
      this.#restedMs = endMs + Math.min((endMs - startMs) * BUSY_REST_FACTOR, MAX_REST_MS);
    }
  }

  async #rest(signal: AbortSignal): Promise<void> {
    for (;;) {
      const isDue = this.#doChunksMove();
      const leftMs = this.#restedMs - this.#clock.monotonic();
      if (!isDue || leftMs <= 0) return;
      await this.#clock.sleep(Math.min(leftMs, REST_STEP_MS), signal);
    }
  }

  /** The speed that is told of transfers would come seconds late. */
  #doChunksMove(): boolean {
    const nowMs = this.#clock.monotonic();
    const bytes = this.#movedBytes;
    if (bytes !== this.#seenBytes) this.#movedMs = nowMs;
    this.#seenBytes = bytes;
    return nowMs - this.#movedMs < QUIET_MS;
  }

  get #movedBytes(): number {
    const { uploadedBytes, downloadedBytes } = this.#traffic();
    return uploadedBytes + downloadedBytes;
  }
}
