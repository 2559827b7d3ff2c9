/** The peers that one download uses now. Kept by the transfer. */
import type { ActivePeer } from "./active-peer.ts";

export class PeersInUse {
  readonly #peers = new Map<string, ActivePeer>();

  [Symbol.iterator](): IterableIterator<ActivePeer> {
    return this.#peers.values();
  }

  get(peerId: string): ActivePeer | undefined {
    return this.#peers.get(peerId);
  }

  has(peer: ActivePeer): boolean {
    return this.#peers.get(peer.id) === peer;
  }

  add(peer: ActivePeer): void {
    this.#peers.set(peer.id, peer);
  }

  remove(peer: ActivePeer): void {
    this.#peers.delete(peer.id);
  }

  /** Bytes a second, by peer. */
  speeds(): Map<string, number> {
    return new Map([...this].map((peer) => [peer.id, peer.meter.bytesPerSecond()]));
  }

  /** Is one of them asked for chunks? */
  get areAsked(): boolean {
    return [...this].some((peer) => peer.isAsked);
  }

  /** Is one of them asked for chunks, and may bring some? */
  get areAtWork(): boolean {
    return [...this].some(({ isAsked, isExpected }) => isAsked && isExpected);
  }

  /** Does one of them bring other files first? */
  get areWaitedFor(): boolean {
    return [...this].some((peer) => peer.isWaiting);
  }
}
