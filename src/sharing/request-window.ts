/**
 * How many chunk requests to keep under way with one peer: as many as its speed fills in one round trip and a
 * little more, so that it is never idle and never holds chunks that a faster peer could have brought.
 * Pure; the transfer reports deliveries, the picker asks for room.
 *
 * Source: bandwidth-delay product with a standing queue, as in libtorrent's request queue time (there 3 s) and
 * BBR's estimate of delay by the least seen.
 */
import { CHUNK_BYTES, MIN_REQUESTS, STANDING_QUEUE_MS } from "./limits.ts";

const RATE_GAIN = 0.25;

export class RequestWindow {
  readonly #max: number;
  #leastElapsedMs = Number.POSITIVE_INFINITY;
  #bytesPerMs = 0;
  #lastDeliveryMs: number | undefined;
  size = MIN_REQUESTS;

  /** `max`: what the transport bears. */
  constructor(max: number) {
    this.#max = Math.max(1, max);
    this.size = Math.min(MIN_REQUESTS, this.#max);
  }

  /** Bytes a second by recent deliveries; 0 until the second one. */
  get bytesPerSecond(): number {
    return this.#bytesPerMs * 1000;
  }

  /** A request that was sent `elapsedMs` ago has been answered with `bytes`. */
  delivered(nowMs: number, elapsedMs: number, bytes: number): void {
    this.#leastElapsedMs = Math.min(this.#leastElapsedMs, elapsedMs);
    // The gap since the last delivery, or the whole wait when the peer had nothing else to send.
    const gapMs = Math.max(0.05, Math.min(elapsedMs, nowMs - (this.#lastDeliveryMs ?? nowMs - elapsedMs)));
    this.#lastDeliveryMs = nowMs;
    const rate = bytes / gapMs;
    this.#bytesPerMs =
      this.#bytesPerMs === 0 ? rate : 1 / ((1 - RATE_GAIN) / this.#bytesPerMs + RATE_GAIN / rate);
    const wanted = (this.#bytesPerMs * (this.#leastElapsedMs + STANDING_QUEUE_MS)) / CHUNK_BYTES;
    this.size = Math.max(Math.min(MIN_REQUESTS, this.#max), Math.min(this.#max, Math.ceil(wanted) + 1));
  }
}
