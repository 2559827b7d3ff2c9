/**
 * Decides which chunk to ask of which peer next. Pure: no I/O, no promises, no clock but the times it is told.
 * The transfer tells it who holds what and what happened, and asks `pick(peer)` while the peer has room.
 *
 * A chunk is missing (in the order of rarity), asked for (of one peer, in the end game of two that are not silent) or held.
 * Order of choice: what a reader waits for now, what it will want next, then the strategy's choice, then the end game.
 */
import { bitfieldBytes, clearBit, hasBit, setBit } from "../bitfield.ts";
import { END_GAME_ADVANTAGE, MAX_ASKED_OF, ROUND_ROBIN_SLACK, URGENT_CHUNKS } from "../limits.ts";
import type { HaveUpdate } from "../ports.ts";
import { type PeerPace, type Pick, PickerPeer } from "./picker-peer.ts";
import { RarityOrder } from "./rarity.ts";

export type Strategy = "rarest_first" | "sequential" | "round_robin";

/** A span of chunks that a reader waits for: first up to but not including end. */
export interface WantedSpan {
  first: number;
  end: number;
}

export class Picker {
  readonly #chunkCount: number;
  readonly #strategy: Strategy;
  readonly #missing: RarityOrder;
  readonly #held: Uint8Array;
  readonly #peers = new Map<string, PickerPeer>();
  readonly #askedOf = new Map<number, string[]>();
  #wanted: readonly WantedSpan[] = [];
  /** The beginning of each. */
  #urgent: readonly WantedSpan[] = [];

  /** `random` gives the order of equally rare chunks: numbers of at least 0 and below 1. */
  constructor(chunkCount: number, strategy: Strategy, random: () => number) {
    this.#chunkCount = chunkCount;
    this.#strategy = strategy;
    this.#missing = new RarityOrder(chunkCount, random);
    this.#held = new Uint8Array(bitfieldBytes(chunkCount));
  }

  /** Chunks neither held nor asked for. */
  get missingCount(): number {
    return this.#missing.length;
  }

  isAsked(index: number): boolean {
    return this.#askedOf.has(index);
  }

  isHeld(index: number): boolean {
    return hasBit(this.#held, index);
  }

  join(peerId: string): void {
    // A newcomer starts level with the others, so that round robin need not wait for it to catch up.
    const askedCount = Math.max(0, ...[...this.#peers.values()].map((peer) => peer.askedCount));
    this.#peers.set(peerId, new PickerPeer(this.#chunkCount, askedCount));
  }

  /** The peer is gone; what was asked of it is missing again. */
  leave(peerId: string): void {
    const peer = this.#peer(peerId);
    for (const { index } of [...peer.asked]) this.failed(peerId, index);
    this.#uncount(peer);
    this.#peers.delete(peerId);
  }

  holdsAll(peerId: string): boolean {
    return this.#peer(peerId).holdsAll;
  }

  holds(peerId: string, update: HaveUpdate): void {
    const peer = this.#peer(peerId);
    if (update.kind === "have") {
      for (const index of update.indexes) this.#gain(peer, index);
      return;
    }
    this.#uncount(peer);
    peer.holdsAll = update.kind === "all";
    peer.bitsAreLacks = peer.holdsAll;
    peer.lowest = peer.holdsAll ? 0 : this.#chunkCount;
    peer.bits = new Uint8Array(bitfieldBytes(this.#chunkCount));
    if (update.kind === "bitfield") for (const index of this.#indexesOf(update.bits)) this.#gain(peer, index);
  }

  /** The chunk is stored here. Gives the other peers that were asked for it, whose requests are now idle. */
  held(index: number): string[] {
    const others = this.#askedOf.get(index) ?? [];
    for (const peerId of others) this.#peer(peerId).forget(index);
    this.#askedOf.delete(index);
    this.#missing.remove(index);
    setBit(this.#held, index);
    return others;
  }

  /** A chunk that was held turned out damaged. */
  lost(index: number): void {
    clearBit(this.#held, index);
    this.#becomesMissing(index);
  }

  /** The peer did not bring the chunk. */
  failed(peerId: string, index: number): void {
    this.#peer(peerId).forget(index);
    const others = (this.#askedOf.get(index) ?? []).filter((other) => other !== peerId);
    if (others.length > 0) {
      this.#askedOf.set(index, others);
      return;
    }
    this.#askedOf.delete(index);
    if (!hasBit(this.#held, index)) this.#becomesMissing(index);
  }

  /** The peer says it does not hold this chunk after all. */
  lacks(peerId: string, index: number): void {
    const peer = this.#peer(peerId);
    if (!peer.holds(index)) return;
    peer.holdsAll = false;
    if (peer.bitsAreLacks) {
      setBit(peer.bits, index);
    } else {
      clearBit(peer.bits, index);
      this.#missing.lower(index);
    }
  }

  /** Spans that readers wait for. Gives what is asked of whom and has become urgent, or is so no longer. */
  want(spans: readonly WantedSpan[]): (Pick & { peerId: string })[] {
    this.#wanted = spans;
    this.#urgent = spans.map(({ first, end }) => ({ first, end: Math.min(end, first + URGENT_CHUNKS) }));
    const changed: (Pick & { peerId: string })[] = [];
    for (const [peerId, { asked }] of this.#peers) {
      for (const chunk of asked) {
        const isUrgent = this.#isUrgent(chunk.index);
        if (chunk.isUrgent === isUrgent) continue;
        chunk.isUrgent = isUrgent;
        changed.push({ peerId, index: chunk.index, isUrgent });
      }
    }
    return changed;
  }

  /** Has the peer something to give that nobody is asked for? */
  offers(peerId: string): boolean {
    return this.#pickMissing(this.#peer(peerId)) !== undefined;
  }

  /** The next chunk to ask of the peer, now counted as asked for; undefined when it has nothing to give. */
  pick(peerId: string, pace: PeerPace): Pick | undefined {
    const urgent = this.pickUrgent(peerId, pace);
    if (urgent !== undefined) return urgent;
    const peer = this.#peer(peerId);
    const wanted = firstOf(this.#wanted, (index) => this.#isMissingFor(peer, index));
    if (wanted === undefined && this.#strategy === "round_robin" && this.#isAhead(peer)) return undefined;
    const index = wanted ?? this.#pickMissing(peer) ?? this.#pickInEndGame(peerId, peer);
    return index === undefined ? undefined : this.#ask(peerId, peer, index);
  }

  /** As pick, of what a reader waits for now. */
  pickUrgent(peerId: string, pace: PeerPace): Pick | undefined {
    const peer = this.#peer(peerId);
    peer.pace = pace;
    const index = firstOf(
      this.#urgent,
      (index) => this.#isMissingFor(peer, index) || this.#isSooner(peerId, peer, index),
    );
    return index === undefined ? undefined : this.#ask(peerId, peer, index);
  }

  #isUrgent(index: number): boolean {
    return this.#urgent.some(({ first, end }) => first <= index && index < end);
  }

  #isMissingFor(peer: PickerPeer, index: number): boolean {
    return this.#missing.has(index) && peer.holds(index) && !this.#isLeft(peer, index);
  }

  /** Neither held nor asked for any more. */
  #becomesMissing(index: number): void {
    this.#missing.add(index);
    for (const peer of this.#peers.values()) peer.lowest = Math.min(peer.lowest, index);
  }

  #pickMissing(peer: PickerPeer): number | undefined {
    if (peer.lowest === this.#chunkCount) return undefined;
    let first = this.#chunkCount;
    let picked: number | undefined;
    for (const index of this.#missingInOrder(peer)) {
      if (!peer.holds(index)) continue;
      first = Math.min(first, index);
      if (this.#isLeft(peer, index)) continue;
      picked = index;
      break;
    }
    // Of rarest_first it is only known when there is none.
    if (first === this.#chunkCount || this.#strategy !== "rarest_first") peer.lowest = first;
    return picked;
  }

  *#missingInOrder(peer: PickerPeer): Iterable<number> {
    if (this.#strategy === "rarest_first") {
      yield* peer.bitsAreLacks ? this.#missing : this.#missing.countedFirst();
    } else {
      for (let index = peer.lowest; index < this.#chunkCount; index++)
        if (this.#missing.has(index)) yield index;
    }
  }

  /** Is the chunk left to another peer, since a reader waits for it and would have it clearly sooner from there? */
  #isLeft(peer: PickerPeer, index: number): boolean {
    if (!this.#isUrgent(index) || peer.pace.bytesPerSecond === 0) return false;
    const chunk = { index, isUrgent: true };
    const ownTime = peer.timeUntil(chunk);
    return [...this.#peers.values()].some(
      (other) =>
        other.holds(index) && !other.pace.isSilent && other.timeUntil(chunk) * END_GAME_ADVANTAGE < ownTime,
    );
  }

  /** In round robin a peer waits once it was asked for more than the others that are busy, and not silent. */
  #isAhead(peer: PickerPeer): boolean {
    return [...this.#peers.values()].some(
      ({ asked, askedCount, pace }) =>
        asked.length > 0 && !pace.isSilent && peer.askedCount - askedCount >= ROUND_ROBIN_SLACK,
    );
  }

  /** All that the peer could give is asked for elsewhere: it takes over what would come later from there. */
  #pickInEndGame(peerId: string, peer: PickerPeer): number | undefined {
    for (const index of this.#askedOf.keys()) if (this.#isSooner(peerId, peer, index)) return index;
    return undefined;
  }

  /** Would this peer bring the chunk clearly before those that were asked? One not tried yet counts as fast as any. */
  #isSooner(peerId: string, peer: PickerPeer, index: number): boolean {
    const asked = this.#askedOf.get(index);
    if (!asked || asked.includes(peerId) || !peer.holds(index)) return false;
    const others = asked.map((otherId) => this.#peer(otherId));
    const mayNeverCome = (other: PickerPeer) => other.pace.isSilent || other.keepsBack(index);
    if (others.filter((other) => !mayNeverCome(other)).length >= MAX_ASKED_OF) return false;
    const bytesPerSecond = peer.pace.bytesPerSecond || this.#fastestBytesPerSecond();
    // Nobody has brought anything yet: only silence tells who is slow.
    if (bytesPerSecond === 0) return others.every(mayNeverCome);
    const chunk = { index, isUrgent: this.#isUrgent(index) };
    const ownTime = peer.timeUntil(chunk, bytesPerSecond);
    return others.every(
      (other) => other.keepsBack(index) || ownTime * END_GAME_ADVANTAGE < other.timeUntil(chunk),
    );
  }

  #fastestBytesPerSecond(): number {
    return Math.max(0, ...[...this.#peers.values()].map(({ pace }) => pace.bytesPerSecond));
  }

  #ask(peerId: string, peer: PickerPeer, index: number): Pick {
    const isUrgent = this.#isUrgent(index);
    this.#missing.remove(index);
    this.#askedOf.set(index, [...(this.#askedOf.get(index) ?? []), peerId]);
    peer.ask({ index, isUrgent });
    return { index, isUrgent };
  }

  #gain(peer: PickerPeer, index: number): void {
    if (peer.holds(index)) return;
    peer.lowest = Math.min(peer.lowest, index);
    if (peer.bitsAreLacks) {
      clearBit(peer.bits, index);
    } else {
      setBit(peer.bits, index);
      this.#missing.raise(index);
    }
  }

  /** It holds nothing any more. Those that hold nearly all are not counted among the holders. */
  #uncount(peer: PickerPeer): void {
    if (!peer.bitsAreLacks) for (const index of this.#indexesOf(peer.bits)) this.#missing.lower(index);
  }

  *#indexesOf(bits: Uint8Array): Iterable<number> {
    for (let index = 0; index < this.#chunkCount; index++) if (hasBit(bits, index)) yield index;
  }

  #peer(peerId: string): PickerPeer {
    const peer = this.#peers.get(peerId);
    if (!peer) throw new Error(`the picker was not told of peer ${peerId}`);
    return peer;
  }
}

/** The first chunk of the spans that is so. */
function firstOf(spans: readonly WantedSpan[], is: (index: number) => boolean): number | undefined {
  for (const { first, end } of spans)
    for (let index = first; index < end; index++) if (is(index)) return index;
  return undefined;
}
