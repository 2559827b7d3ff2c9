/**
 * Whom a transfer asks for the manifest: one peer, and another as well where that one takes long; whoever is first serves
 * all. Kept by the transfer, which asks.
 */
import type { ActivePeer } from "./active-peer.ts";
import { MAX_SILENCE_MS, SILENT_PEER_MS } from "./limits.ts";
import type { Clock } from "./ports.ts";

export class ManifestAsking {
  readonly #clock: Clock;
  readonly #asked = new Set<ActivePeer>();
  /** When another is asked as well. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** When the last was asked. */
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Is somebody asked who may bring it? */
  get isUnderWay(): boolean {
    return [...this.#asked].some(({ isExpected }) => isExpected);
  }

  /** Who is to be asked now, and counts as asked from then on. */
  next(peers: Iterable<ActivePeer>): ActivePeer | undefined {
    const nowMs = this.#clock.monotonic();
    if (nowMs < this.#nextMs) return undefined;
    const peer = [...peers].find((other) => !this.#asked.has(other));
    if (peer === undefined) return undefined;
    this.#asked.add(peer);
    this.#askedMs = nowMs;
    this.#nextMs = nowMs + SILENT_PEER_MS;
    return peer;
  }

  /** The last that was asked of those that bring next to nothing, where all have had long: another may have its place. */
  inVain(): ActivePeer | undefined {
    const isLong = this.#clock.monotonic() - this.#askedMs >= MAX_SILENCE_MS;
    return isLong ? [...this.#asked].findLast((peer) => peer.bringsLittle) : undefined;
  }

  brought(peer: ActivePeer): void {
    this.#asked.delete(peer);
  }

  /** Another is asked at once. */
  failed(peer: ActivePeer): void {
    this.#asked.delete(peer);
    this.#nextMs = Number.NEGATIVE_INFINITY;
  }
}
