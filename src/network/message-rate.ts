/**
 * Token buckets: each key may act `burst` times at once and then `perSecond`. Called for messages sent, for what is
 * taken of each author or peer, and for frames of a connection. The key that was quiet for longest gives way to a new one, so
 * memory is bounded, and nobody is refused for what others did: notes of 300 ids kept everybody else's out.
 */
import { forgetOldest } from "../sharing/forget-oldest.ts";
import type { Clock } from "../sharing/ports.ts";

interface Bucket {
  tokens: number;
  atMs: number;
}

export class MessageRate {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #maxKeys: number;
  /** Who was quiet for longest first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    clock: Pick<Clock, "monotonic">,
    options: { burst: number; perSecond: number; maxKeys: number },
  ) {
    this.#clock = clock;
    this.#burst = options.burst;
    this.#perSecond = options.perSecond;
    this.#maxKeys = options.maxKeys;
  }

  /** Takes a token; false when there is none. */
  take(key: string): boolean {
    const bucket = this.#refill(key);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Whole milliseconds until the next token. */
  waitMs(key: string): number {
    const { tokens } = this.#refill(key);
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1000) / this.#perSecond);
  }

  #refill(key: string): Bucket {
    const atMs = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    const tokens = known === undefined ? this.#burst : this.#tokensAt(known, atMs);
    const bucket = { tokens, atMs };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    forgetOldest(this.#buckets, this.#maxKeys);
    return bucket;
  }

  #tokensAt(bucket: Bucket, atMs: number): number {
    return Math.min(this.#burst, bucket.tokens + ((atMs - bucket.atMs) / 1000) * this.#perSecond);
  }
}
