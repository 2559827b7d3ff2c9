/** A peer that a transfer is asking: what is under way with it, and how fast it answers. Kept by the transfer alone. */
import type { CID } from "multiformats/cid";
import { SharingError } from "../errors.ts";
import {
  CHUNK_BYTES,
  MAX_SILENCE_MS,
  SILENT_PEER_MS,
  TRIAL_MS,
  TRICKLE_BYTES_PER_SECOND,
  UNSUSPICIOUS_SILENCE_MS,
  URGENT_CHUNKS,
} from "../limits.ts";
import type { Clock, PeerSession, Priority } from "../ports.ts";
import type { TurnsAtPeer } from "../transfers/turns.ts";
import { ChunkMeter } from "./chunk-meter.ts";
import type { PeerPace } from "./picker-peer.ts";
import { RequestWindow } from "./request-window.ts";

interface UnderWay {
  isUrgent: boolean;
  receivedBytes: number;
  controller: AbortController;
}

/** What has come from a peer: whole chunks, or less. */
export type Brought = "nothing" | "bytes" | "chunks";

export function priorityOf(isUrgent: boolean): Priority {
  return isUrgent ? 2 : 1;
}

export class ActivePeer implements PeerPace {
  readonly session: PeerSession;
  readonly window: RequestWindow;
  readonly meter: ChunkMeter;
  readonly turns: TurnsAtPeer;
  /** Aborts with the end of its use: ends what is under way besides requests. */
  readonly signal: AbortSignal;
  /** It is asked what it holds. */
  isFollowed = false;
  /** It can't be asked yet what it holds. */
  waitsForHaves = false;
  /** It was given up before, having brought nothing. */
  wasInVain = false;
  /** When it brought its last chunk, or was asked for one having none to bring. */
  #lastSignMs: number;
  /** Received since then. */
  #bytesSince = 0;
  #brought: Brought = "nothing";
  #hasRefused = false;
  /** It has brought none since it refused one. */
  #owes = false;
  readonly #joinedMs: number;
  readonly #clock: Clock;
  readonly #total: ChunkMeter | undefined;
  readonly #gone = new AbortController();
  readonly #requests = new Map<number, UnderWay>();

  /** `total` counts what all peers bring. */
  constructor(session: PeerSession, clock: Clock, turns: TurnsAtPeer, total?: ChunkMeter) {
    this.session = session;
    this.turns = turns;
    this.window = new RequestWindow(session.maxInFlight);
    this.meter = new ChunkMeter(() => clock.monotonic());
    this.signal = this.#gone.signal;
    this.#clock = clock;
    this.#total = total;
    this.#joinedMs = clock.monotonic();
    this.#lastSignMs = this.#joinedMs;
  }

  get id(): string {
    return this.session.peerId;
  }

  /** By its recent deliveries, and less the longer it has kept us waiting since. */
  get bytesPerSecond(): number {
    const { bytesPerSecond } = this.window;
    const { silentMs } = this;
    if (!this.isAsked || silentMs < UNSUSPICIOUS_SILENCE_MS) return bytesPerSecond;
    return Math.min(bytesPerSecond, (CHUNK_BYTES / silentMs) * 1000);
  }

  /** One that is known to be slow may take twice its usual time. */
  get isSilent(): boolean {
    const { bytesPerSecond } = this.window;
    const usualMs = bytesPerSecond === 0 ? 0 : (CHUNK_BYTES / bytesPerSecond) * 1000;
    const patienceMs = Math.min(MAX_SILENCE_MS, Math.max(SILENT_PEER_MS, 2 * usualMs));
    return this.isAsked && this.silentMs >= patienceMs;
  }

  /** It was asked for chunks, and brings next to nothing. */
  get trickles(): boolean {
    return (this.isAsked || this.#owes) && this.bringsLittle;
  }

  /** What has come in the longest silence that is borne would not be a chunk in minutes. */
  get bringsLittle(): boolean {
    const { silentMs } = this;
    const fewBytes = (TRICKLE_BYTES_PER_SECOND * silentMs) / 1000;
    return silentMs >= MAX_SILENCE_MS && this.#bytesSince < fewBytes;
  }

  /** It had time to show that it is there, and not a byte has come: whoever is only slow sends one now and then. */
  get isMute(): boolean {
    return this.silentMs >= TRIAL_MS && this.#bytesSince === 0;
  }

  /** Since it brought its last chunk, or was asked for one having none to bring. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#lastSignMs;
  }

  get inUseMs(): number {
    return this.#clock.monotonic() - this.#joinedMs;
  }

  get brought(): Brought {
    return this.#brought;
  }

  /** Is it worth waiting for? One that was in vain has to bring something first. */
  get isExpected(): boolean {
    return !this.wasInVain || this.#brought !== "nothing";
  }

  /** It said of a chunk that it has it, and then that it has not. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  /** Other files are before this one: it is not asked what it holds, or for blocks. */
  get isWaiting(): boolean {
    return this.waitsForHaves || Object.values(this.turns).some((turn) => turn.isWaiting);
  }

  get isAsked(): boolean {
    return this.#requests.size > 0;
  }

  get hasRoom(): boolean {
    return this.#requests.size < (this.trickles ? 1 : this.window.size);
  }

  /**
   * Chunks that it may be asked for no longer, since it trickles: all but the one of which most is here, and those a
   * reader waits for.
   */
  get surplus(): number[] {
    if (!this.trickles) return [];
    const [, ...others] = [...this.#requests].sort(([, a], [, b]) => b.receivedBytes - a.receivedBytes);
    return others.filter(([, { isUrgent }]) => !isUrgent).map(([index]) => index);
  }

  /** A reader does not wait until the peer has brought what nobody waits for. */
  get hasRoomForUrgent(): boolean {
    const urgent = [...this.#requests.values()].filter(({ isUrgent }) => isUrgent);
    return urgent.length < URGENT_CHUNKS;
  }

  isUrgent(index: number): boolean {
    return this.#requests.get(index)?.isUrgent ?? false;
  }

  /** A request for a chunk begins; the signal, which is its alone, ends it. */
  begin(index: number, isUrgent = false): AbortSignal {
    if (!this.isAsked && !this.#owes) this.#sign();
    const controller = new AbortController();
    this.#requests.set(index, { isUrgent, receivedBytes: 0, controller });
    return controller.signal;
  }

  /** A reader waits now for the chunk that the peer is asked for, or no longer. */
  prioritize(index: number, isUrgent: boolean, cid: CID): void {
    const request = this.#requests.get(index);
    if (request === undefined) return;
    request.isUrgent = isUrgent;
    this.session.prioritize(cid, priorityOf(isUrgent));
  }

  /**
   * A part of a chunk is here, of one that was asked for. Speeds are of parts: of a slow peer whole chunks come seconds
   * apart.
   */
  received(bytes: number, index?: number): void {
    const request = index === undefined ? undefined : this.#requests.get(index);
    if (request !== undefined) request.receivedBytes += bytes;
    this.#bytesSince += bytes;
    if (this.#brought === "nothing") this.#brought = "bytes";
    this.meter.add(bytes);
    this.#total?.add(bytes);
  }

  /** The chunk is here. */
  delivered(elapsedMs: number, bytes: number): void {
    this.#brought = "chunks";
    this.#owes = false;
    this.#sign();
    this.window.delivered(this.#lastSignMs, elapsedMs, bytes);
  }

  /** It said of a chunk that it has it, and then that it has not. */
  refused(): void {
    this.#hasRefused = true;
    this.#owes = true;
  }

  /** The request that has the signal has ended; false if nobody waited for it any more, but maybe for a later one. */
  end(index: number, signal: AbortSignal): boolean {
    const isOpen = this.#requests.get(index)?.controller.signal === signal;
    return isOpen && this.#requests.delete(index);
  }

  /** Nothing, where the peer is not asked for the chunk any more. */
  cancel(index: number, why: string): void {
    this.#requests.get(index)?.controller.abort(new SharingError("stopped", why));
    this.#requests.delete(index);
  }

  leave(reason: Error): void {
    for (const turn of Object.values(this.turns)) turn.leave();
    this.#gone.abort(reason);
    for (const { controller } of this.#requests.values()) controller.abort(reason);
  }

  #sign(): void {
    this.#lastSignMs = this.#clock.monotonic();
    this.#bytesSince = 0;
  }
}
