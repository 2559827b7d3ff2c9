/**
 * The peers that one download talks to: finds providers, opens sessions with a few of them, keeps the others in
 * reserve, and replaces those that fail, waiting longer after each failure. Who comes when all places are taken may get
 * one by lot, so that those who download a file ask each other all over instead of all the same few. Those that brought
 * chunks before a restart are asked at once, before the swarm has said who is there. Who was met comes before who was
 * only told of, since one peer can tell of as many as it likes: two hundred that nobody reaches made each download
 * fail. Made by a transfer, which alone decides when a peer is dropped.
 */
import type { Bans } from "../bans.ts";
import {
  FREE_AGAIN_MS,
  MAX_KNOWN_PROVIDERS,
  PROVIDER_SEARCH_EVERY_MS,
  REDIAL_MAX_MS,
  REDIAL_MIN_MS,
} from "../limits.ts";
import type { Clock, Exchange, Log, PeerSession, Swarm } from "../ports.ts";
import { Tasks } from "../tasks.ts";
import type { Brought } from "./active-peer.ts";

interface Candidate {
  state: "idle" | "opening" | "open";
  failures: number;
  notBeforeMs: number;
  /** When it was last given up, or could not be reached. */
  leftMs: number;
  /** It was given up since it brought nothing. */
  wasInVain: boolean;
  /** Its place in the row of those that wait: the lowest is next. */
  turn: number;
  /** Remembered, and neither heard of nor reached since: takes nobody's place, and is forgotten when it can't be reached. */
  isGuess: boolean;
}

/** `waits`: it brings other files first. */
export type DropReason = "failed" | "reserve" | "waits";

export interface PeerPoolOptions {
  fileId: string;
  /** Asked each time, for it may change. */
  maxPeers: () => number;
  /** Are strangers not to learn the file's id? Asked each time. */
  isUnlisted: () => boolean;
  /** Peers that brought chunks in an earlier run, the best first; as many as may be in use are asked. */
  remembered: string[];
  swarm: Swarm;
  exchange: Exchange;
  bans: Bans;
  clock: Clock;
  log: Log;
  /** Does the peer bring no other files first? */
  isFree: (peerId: string) => boolean;
  /** Numbers of at least 0 and below 1, for lots. */
  random: () => number;
  signal: AbortSignal;
  /** `wasInVain`: with a peer that was given up, the last time that it was in use, having brought nothing. */
  onSession: (session: PeerSession, wasInVain: boolean) => void;
  /** One more has come than there are places, and the lot fell on it: to drop one for it is fair. */
  onNewcomer: () => void;
}

/** Remembered peers are below it, and those whom no lot has favoured above. */
const NEXT_TURN = 0;

/**
 * Of those that no lot has favoured, and behind them of those of them that were not met; then come those that were in
 * use before.
 */
const NEW_TURN = NEXT_TURN + 1;
const TOLD_TURN = NEW_TURN + 0.5;

export class PeerPool {
  readonly #options: PeerPoolOptions;
  readonly #candidates = new Map<string, Candidate>();
  readonly #tasks: Tasks;
  /** Given out and not dropped. */
  readonly #sessions = new Set<PeerSession>();
  #drops = 0;
  #lastWasToldOf = false;

  constructor(options: PeerPoolOptions) {
    this.#options = options;
    this.#tasks = new Tasks(options.log, options.signal);
    const remembered = options.remembered.slice(0, options.maxPeers());
    for (const [at, peerId] of remembered.entries()) this.#add(peerId, at - remembered.length, true);
    this.fill();
    this.#tasks.spawn(this.#search());
  }

  /** Was no provider found so far? */
  get isEmpty(): boolean {
    return [...this.#candidates.values()].every(({ isGuess }) => isGuess);
  }

  /** Are more in use than may be by now? */
  get hasTooMany(): boolean {
    return this.#sessions.size > this.#options.maxPeers();
  }

  /** Is there a provider that is not in use and could be? */
  get hasReserve(): boolean {
    return this.#ready().length > 0;
  }

  /** Is there one in reserve that was not given up in vain, and more than one place, so that not all are kept for new ones? */
  get hasUntried(): boolean {
    return this.#options.maxPeers() > 1 && this.#ready().some(([, { wasInVain }]) => !wasInVain);
  }

  /** Is there one in reserve that would bring the file at once, where those in use bring others first? */
  get hasFree(): boolean {
    return this.#free() !== undefined;
  }

  /**
   * Ends the use of a peer. A failed one is left alone for a while, which is short again where it has brought something since it
   * failed before; others go to the end of the row; the place of one that waits goes to one that is free.
   */
  drop(session: PeerSession, why: DropReason, brought: Brought = "nothing"): void {
    session.close();
    this.#sessions.delete(session);
    const candidate = this.#candidates.get(session.peerId);
    if (!candidate) return;
    const free = why === "waits" ? this.#free() : undefined;
    if (free) this.#dial(...free);
    if (brought === "chunks") candidate.failures = 0;
    candidate.wasInVain = brought === "nothing" && (candidate.wasInVain || why === "failed");
    if (why === "failed") this.#postpone(candidate);
    candidate.state = "idle";
    candidate.leftMs = this.#options.clock.monotonic();
    this.#drops += 1;
    candidate.turn = NEW_TURN + this.#drops;
    this.fill();
  }

  /** Opens sessions while there is room and someone to talk to. Called on every tick for those whose wait is over. */
  fill(): void {
    const { maxPeers, swarm, signal } = this.#options;
    if (signal.aborted) return;
    let places = maxPeers() - this.#inUse;
    if (places <= 0) return;
    let isOneKept = this.#isPlaceKept;
    for (const [peerId, candidate] of this.#ready()) {
      const isMet = swarm.isMet(peerId);
      if (places === 1 && isOneKept && !isMet) continue;
      this.#dial(peerId, candidate);
      if (isMet) isOneKept = false;
      places -= 1;
      if (places === 0) return;
    }
  }

  /** Settles when nothing of the pool runs any more, and closes what nobody took; call after the signal has aborted. */
  async closed(): Promise<void> {
    await this.#tasks.ended();
    for (const session of this.#sessions) session.close();
  }

  get #inUse(): number {
    return [...this.#candidates.values()].filter(({ state, isGuess }) => state !== "idle" && !isGuess).length;
  }

  /** The last of several places is for one that was met, where there is one, and none of them is in use. */
  get #isPlaceKept(): boolean {
    const { maxPeers, swarm, bans } = this.#options;
    const met = [...this.#candidates].filter(([peerId]) => swarm.isMet(peerId) && !bans.isBanned(peerId));
    return maxPeers() > 1 && met.length > 0 && met.every(([, { state }]) => state === "idle");
  }

  #add(peerId: string, turn: number, isGuess: boolean): void {
    const leftMs = Number.NEGATIVE_INFINITY;
    const unknown = { state: "idle", failures: 0, notBeforeMs: 0, wasInVain: false } as const;
    this.#candidates.set(peerId, { leftMs, turn, isGuess, ...unknown });
  }

  #ready(): [string, Candidate][] {
    const nowMs = this.#options.clock.monotonic();
    return [...this.#candidates]
      .filter(([peerId, candidate]) => {
        const isFree = candidate.state === "idle" && candidate.notBeforeMs <= nowMs;
        return isFree && !this.#options.bans.isBanned(peerId);
      })
      .map((ready) => ({ ready, isLater: this.#isLater(ready[0]), turn: this.#turnOf(...ready) }))
      .sort(
        (a, b) =>
          Number(a.isLater) - Number(b.isLater) ||
          a.ready[1].failures - b.ready[1].failures ||
          a.turn - b.turn,
      )
      .map(({ ready }) => ready);
  }

  /** A single place is not kept for who was met: it is given by turns, since of others there may be any number. */
  #isLater(peerId: string): boolean {
    const { maxPeers, swarm } = this.#options;
    return maxPeers() === 1 && this.#lastWasToldOf && !swarm.isMet(peerId);
  }

  #turnOf(peerId: string, { turn }: Candidate): number {
    return turn === NEW_TURN && !this.#options.swarm.isMet(peerId) ? TOLD_TURN : turn;
  }

  #free(): [string, Candidate] | undefined {
    const { clock, isFree } = this.#options;
    const beforeMs = clock.monotonic() - FREE_AGAIN_MS;
    return this.#ready().find(([peerId, { leftMs }]) => leftMs <= beforeMs && isFree(peerId));
  }

  #dial(peerId: string, candidate: Candidate): void {
    candidate.state = "opening";
    this.#lastWasToldOf = !this.#options.swarm.isMet(peerId);
    this.#tasks.spawn(this.#open(peerId, candidate));
  }

  async #search(): Promise<void> {
    const { swarm, fileId, isUnlisted, clock, signal } = this.#options;
    while (!signal.aborted) {
      const round = new AbortController();
      const pause = clock.sleep(PROVIDER_SEARCH_EVERY_MS, signal).finally(() => round.abort());
      // It is awaited below; until then its end by the signal must not count as unhandled.
      pause.catch(() => {});
      const either = AbortSignal.any([signal, round.signal]);
      for await (const peerId of swarm.providers(fileId, either, { isUnlisted })) this.#found(peerId);
      await pause;
    }
  }

  #found(peerId: string): void {
    const known = this.#candidates.get(peerId);
    if (known) {
      known.isGuess = false;
      known.notBeforeMs = Math.min(known.notBeforeMs, this.#options.clock.monotonic() + REDIAL_MIN_MS);
    } else if (peerId !== this.#options.swarm.nodeId && this.#hasRoomFor(peerId)) {
      const { maxPeers, random, onNewcomer } = this.#options;
      // Drawn like this, each of those that ever came has a place as likely as any other (reservoir sampling).
      const isOnLot = this.#inUse >= maxPeers() && this.#mayBeDrawn(peerId);
      const isDrawn = isOnLot && random() < maxPeers() / (this.#candidates.size + 1);
      this.#add(peerId, isDrawn ? NEXT_TURN : NEW_TURN, false);
      if (isDrawn) onNewcomer();
    }
    this.fill();
  }

  /** Of those that were not met one at a time: many that nobody reaches would take the places of all in use. */
  #mayBeDrawn(peerId: string): boolean {
    const { swarm } = this.#options;
    const isDue = ({ turn, state, failures }: Candidate) =>
      turn === NEXT_TURN && state !== "open" && failures === 0;
    return (
      swarm.isMet(peerId) ||
      ![...this.#candidates].some(([id, candidate]) => isDue(candidate) && !swarm.isMet(id))
    );
  }

  /** May one more be known? Whoever failed the most often is forgotten for it, of those that were not met before others. */
  #hasRoomFor(peerId: string): boolean {
    if (this.#candidates.size < MAX_KNOWN_PROVIDERS) return true;
    const { swarm } = this.#options;
    const isMet = swarm.isMet(peerId);
    const [worst] = [...this.#candidates]
      .filter(([, { state }]) => state === "idle")
      .map(([id, { failures }]) => ({ id, failures, isMet: swarm.isMet(id) }))
      .filter((known) => (known.isMet === isMet ? known.failures > 0 : isMet))
      .sort((a, b) => Number(a.isMet) - Number(b.isMet) || b.failures - a.failures);
    return worst !== undefined && this.#candidates.delete(worst.id);
  }

  async #open(peerId: string, candidate: Candidate): Promise<void> {
    const { exchange, signal, log } = this.#options;
    try {
      // A signal for each: as many listen as peers are dialled, and Node.js takes more than ten of one for a leak.
      const ending = AbortSignal.any([signal]);
      this.#opened(await exchange.openSession(peerId, ending), candidate);
    } catch (error) {
      candidate.state = "idle";
      if (signal.aborted) return;
      log.debug("provider can't be reached", { peerId, error });
      if (candidate.isGuess) this.#candidates.delete(peerId);
      else this.#postpone(candidate);
      this.fill();
    }
  }

  /** With guesses more are dialled than there are places: those who answer first have them. */
  #opened(session: PeerSession, candidate: Candidate): void {
    candidate.isGuess = false;
    if (this.#sessions.size >= this.#options.maxPeers()) {
      candidate.state = "idle";
      session.close();
      return;
    }
    candidate.state = "open";
    this.#sessions.add(session);
    this.#options.onSession(session, candidate.wasInVain);
  }

  #postpone(candidate: Candidate): void {
    const waitMs = Math.min(REDIAL_MAX_MS, REDIAL_MIN_MS * 2 ** candidate.failures);
    candidate.failures += 1;
    candidate.leftMs = this.#options.clock.monotonic();
    candidate.notBeforeMs = candidate.leftMs + waitMs;
  }
}
