/**
 * Way for transfers: from the first chunk that goes to or comes from a peer until a while after the last, reading, embedding and
 * storing take a small share of the time, in small pieces: a hundredth beside a fast transfer, more beside a slow one. Made by
 * the indexer; asked by it and by file-texts for each piece.
 */
import {
  BUSY_REST_FACTOR,
  FAST_BYTES_PER_SECOND,
  LEAST_REST_FACTOR,
  MAX_REST_MS,
  QUIET_MS,
  REST_STEP_MS,
} from "./limits.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";

export class Courtesy {
  readonly #traffic: MeaningPorts["traffic"];
  readonly #clock: SearchPorts["clock"];
  #seenBytes: number;
  /** When chunks began to move, and when they last did. */
  #moving = { sinceMs: 0, untilMs: Number.NEGATIVE_INFINITY };
  #lastPiece = { tookMs: 0, endMs: 0 };

  constructor({ traffic, clock }: Pick<MeaningPorts, "traffic"> & Pick<SearchPorts, "clock">) {
    this.#traffic = traffic;
    this.#clock = clock;
    const { uploadedBytes, downloadedBytes } = traffic();
    this.#seenBytes = uploadedBytes + downloadedBytes;
  }

  /** Does a piece of work once transfers leave it the time. Throws what the work throws, and the signal's reason. */
  async piece<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.rest(signal);
    const startMs = this.#clock.monotonic();
    try {
      return await work();
    } finally {
      this.worked(this.#clock.monotonic() - startMs);
    }
  }

  /** Returns once transfers leave the time for another piece. @throws the signal's reason */
  async rest(signal: AbortSignal): Promise<void> {
    for (;;) {
      const { tookMs, endMs } = this.#lastPiece;
      const leftMs = endMs + Math.min(tookMs * this.#restFactor(), MAX_REST_MS) - this.#clock.monotonic();
      if (leftMs <= 0) return;
      await this.#clock.sleep(Math.min(leftMs, REST_STEP_MS), signal);
    }
  }

  /** A piece has just ended that worked for so long: less than since its rest, where it waited for others. */
  worked(tookMs: number): void {
    this.#lastPiece = { tookMs, endMs: this.#clock.monotonic() };
  }

  /** Rest for the time that work takes. What speed is told of a transfer comes seconds late, so at first each counts as fast. */
  #restFactor(): number {
    const { uploadedBytes, downloadedBytes, uploadBytesPerSecond, downloadBytesPerSecond } = this.#traffic();
    const movingMs = this.#movingMs(uploadedBytes + downloadedBytes);
    if (movingMs === undefined) return 0;
    if (movingMs < QUIET_MS) return BUSY_REST_FACTOR;
    const share = (uploadBytesPerSecond + downloadBytesPerSecond) / FAST_BYTES_PER_SECOND;
    return Math.min(Math.max(LEAST_REST_FACTOR, BUSY_REST_FACTOR * share), BUSY_REST_FACTOR);
  }

  /** How long chunks have been moving; undefined while none does. */
  #movingMs(bytes: number): number | undefined {
    const nowMs = this.#clock.monotonic();
    const isQuiet = nowMs - this.#moving.untilMs >= QUIET_MS;
    if (bytes !== this.#seenBytes) {
      this.#moving = { sinceMs: isQuiet ? nowMs : this.#moving.sinceMs, untilMs: nowMs };
      this.#seenBytes = bytes;
      return nowMs - this.#moving.sinceMs;
    }
    return isQuiet ? undefined : nowMs - this.#moving.sinceMs;
  }
}
