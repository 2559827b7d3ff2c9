/**
 * Whom a transfer asks for the manifest, once it is its turn there: one peer, and another as well where that one takes long, the
 * sooner the more have brought nothing; whoever is first serves all. Kept by the transfer, which asks.
 */
import { isSharingError } from "../errors.ts";
import { MAX_SILENCE_MS, SILENT_PEER_MS, TRIAL_MS } from "../limits.ts";
import type { Clock } from "../ports.ts";
import type { TurnKind } from "../transfers/turns.ts";
import type { ActivePeer } from "./active-peer.ts";

export class ManifestAsking {
  readonly #clock: Clock;
  readonly #turnKind: TurnKind;
  /** When each was asked. */
  readonly #asked = new Map<ActivePeer, number>();
  /** When another is asked as well. */
  #nextMs = Number.NEGATIVE_INFINITY;
  /** When the last was asked. */
  #askedMs = Number.NEGATIVE_INFINITY;
  #hasWaited = false;

  constructor(clock: Clock, turnKind: TurnKind) {
    this.#clock = clock;
    this.#turnKind = turnKind;
  }

  /** Is somebody asked who may bring it? */
  get isUnderWay(): boolean {
    return [...this.#asked.keys()].some(({ isExpected }) => isExpected);
  }

  /**
   * At a provider other files were before this one, and none has refused it since, or had time and brought not a byte:
   * there is one, and it may come back.
   */
  get hasWaited(): boolean {
    return this.#hasWaited;
  }

  /** Who is to be asked now, and counts as asked from then on. */
  next(peers: Iterable<ActivePeer>): ActivePeer | undefined {
    const nowMs = this.#clock.monotonic();
    const open = [...peers].filter((peer) => !this.#asked.has(peer));
    const isDue = nowMs >= this.#nextMs;
    const peer = isDue ? open.find(({ turns }) => turns[this.#turnKind].take()) : undefined;
    // One that is asked is enough for now: nowhere else is its turn waited for.
    if (peer || !isDue) for (const other of open) if (other !== peer) other.turns[this.#turnKind].leave();
    this.#hasWaited ||= open.some(({ isWaiting, isExpected }) => isWaiting && isExpected);
    if (peer === undefined) return undefined;
    this.#asked.set(peer, nowMs);
    this.#askedMs = nowMs;
    const inVain = [...this.#asked.keys()].filter(({ brought }) => brought === "nothing");
    this.#nextMs = nowMs + SILENT_PEER_MS / Math.max(1, inVain.length);
    return peer;
  }

  /** The last that was asked of those that bring next to nothing, where all have had long: another may have its place. */
  inVain(): ActivePeer | undefined {
    const isLong = this.#clock.monotonic() - this.#askedMs >= MAX_SILENCE_MS;
    return isLong ? [...this.#asked.keys()].findLast((peer) => peer.bringsLittle) : undefined;
  }

  /**
   * Where all in use are asked and not a byte comes, the first that was, once it had time: one not tried yet may have
   * its place.
   */
  firstMute(peers: Iterable<ActivePeer>): ActivePeer | undefined {
    const isQuiet = [...peers].every((peer) => peer.isMute && this.#asked.has(peer));
    const [first] = this.#asked.keys();
    return isQuiet && first !== undefined && this.#hadTime(first) ? first : undefined;
  }

  brought(peer: ActivePeer): void {
    this.#asked.delete(peer);
  }

  /** Another is asked at once. */
  failed(peer: ActivePeer, error: unknown): void {
    const wasMute = peer.brought === "nothing" && this.#hadTime(peer);
    if (wasMute || !isSharingError(error, "peer_lost")) this.#hasWaited = false;
    this.#asked.delete(peer);
    peer.turns[this.#turnKind].leave();
    this.#nextMs = Number.NEGATIVE_INFINITY;
  }

  #hadTime(peer: ActivePeer): boolean {
    const askedMs = this.#asked.get(peer) ?? Number.POSITIVE_INFINITY;
    return this.#clock.monotonic() - askedMs >= TRIAL_MS;
  }
}
