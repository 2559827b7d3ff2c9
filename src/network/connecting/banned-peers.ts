/**
 * Peers that are refused for a time. Set by the swarm, asked by the gater and by whoever is about to ask or dial a
 * peer. Why a peer is banned is the node's business (`sharing/bans`).
 */
import type { Clock } from "../../sharing/ports.ts";
import { MAX_BANS } from "./limits.ts";

export class BannedPeers {
  readonly #clock: Clock;
  /** By the monotonic clock: to that of the machine an hour may be added, or a day taken away. */
  readonly #until = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(peerId: string, forMs: number): void {
    this.#until.set(peerId, this.#clock.monotonic() + forMs);
    if (this.#until.size > MAX_BANS) this.#dropFirstToEnd();
  }

  has(peerId: string): boolean {
    const until = this.#until.get(peerId);
    if (until === undefined) return false;
    if (until > this.#clock.monotonic()) return true;
    this.#until.delete(peerId);
    return false;
  }

  #dropFirstToEnd(): void {
    let first: [string, number] | undefined;
    for (const ban of this.#until) if (first === undefined || ban[1] < first[1]) first = ban;
    if (first !== undefined) this.#until.delete(first[0]);
  }
}
