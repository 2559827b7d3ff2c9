/**
 * Token buckets: each key may act `burst` times at once and then `perSecond`. Called for messages sent, for what is
 * taken of each author or peer, and for frames of a connection. Full buckets are forgotten, so memory is bounded by who
 * was active of late.
 */
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

  /** Takes a token; false when there is none, or when too many keys are active. */
  take(key: string): boolean {
    const bucket = this.#refill(key);
    if (bucket === undefined || bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Whole milliseconds until the next token. */
  waitMs(key: string): number {
    const bucket = this.#refill(key);
    if (bucket === undefined) return Math.ceil(1000 / this.#perSecond);
    return bucket.tokens >= 1 ? 0 : Math.ceil(((1 - bucket.tokens) * 1000) / this.#perSecond);
  }

  #refill(key: string): Bucket | undefined {
    const atMs = this.#clock.monotonic();
    const known = this.#buckets.get(key);
    if (known === undefined) {
      if (this.#buckets.size >= this.#maxKeys) this.#forgetFull(atMs);
      if (this.#buckets.size >= this.#maxKeys) return undefined;
    }
    const bucket = known ?? { tokens: this.#burst, atMs };
    bucket.tokens = this.#tokensAt(bucket, atMs);
    bucket.atMs = atMs;
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #forgetFull(atMs: number): void {
    for (const [key, bucket] of this.#buckets) {
      if (this.#tokensAt(bucket, atMs) >= this.#burst) this.#buckets.delete(key);
    }
  }

  #tokensAt(bucket: Bucket, atMs: number): number {
    return Math.min(this.#burst, bucket.tokens + ((atMs - bucket.atMs) / 1000) * this.#perSecond);
  }
}
