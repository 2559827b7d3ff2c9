/**
 * How many chunk requests to keep under way with one peer: what it delivers in a little more than a round trip,
 * so that it is never idle and never holds many chunks that a faster peer could have brought. While the window
 * is the bottleneck a longer one raises the rate and so the window; once the link is, it settles.
 * Pure; the transfer reports deliveries, and asks for as many as `size`.
 *
 * Source: libtorrent's request queue time (there 3 s), stretched by the least delay seen as in BBR.
 */
import { CHUNK_BYTES, MAX_QUEUE_MS, MIN_QUEUE_MS, MIN_REQUESTS } from "../limits.ts";

const RATE_GAIN = 0.25;

export class RequestWindow {
  readonly #max: number;
  #leastElapsedMs = Number.POSITIVE_INFINITY;
  #bytesPerMs = 0;
  #lastDeliveryMs: number | undefined;
  size: number;

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
    // The gap since the last delivery, or the whole wait when the peer had nothing else to send.
    const gapMs = Math.max(0.05, Math.min(elapsedMs, nowMs - (this.#lastDeliveryMs ?? nowMs - elapsedMs)));
    this.#lastDeliveryMs = nowMs;
    const rate = bytes / gapMs;
    this.#bytesPerMs =
      this.#bytesPerMs === 0 ? rate : 1 / ((1 - RATE_GAIN) / this.#bytesPerMs + RATE_GAIN / rate);
    this.#leastElapsedMs = Math.min(this.#leastElapsedMs, elapsedMs);
    const queueMs = Math.min(MAX_QUEUE_MS, Math.max(MIN_QUEUE_MS, 1.5 * this.#leastElapsedMs));
    const wanted = Math.ceil((this.#bytesPerMs * queueMs) / CHUNK_BYTES) + 1;
    this.size = Math.min(this.#max, Math.max(MIN_REQUESTS, wanted));
  }
}
