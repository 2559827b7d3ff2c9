/**
 * The peers that one download talks to: finds providers, opens sessions with a few of them, keeps the others in
 * reserve, and replaces those that fail, waiting longer after each failure. Those that brought chunks before a restart
 * are asked at once, before the swarm has said who is there. Made by a transfer, which alone decides when a peer is
 * dropped.
 */
import type { Bans } from "./bans.ts";
import { MAX_KNOWN_PROVIDERS, PROVIDER_SEARCH_EVERY_MS, REDIAL_MAX_MS, REDIAL_MIN_MS } from "./limits.ts";
import type { Clock, Exchange, Log, PeerSession, Swarm } from "./ports.ts";
import { Tasks } from "./tasks.ts";

interface Candidate {
  state: "idle" | "opening" | "open";
  failures: number;
  notBeforeMs: number;
  /** Remembered, and neither heard of nor reached since: takes nobody's place, and is forgotten when it can't be reached. */
  isGuess: boolean;
}

export interface PeerPoolOptions {
  fileId: string;
  maxPeers: number;
  /** Peers that brought chunks in an earlier run, the best first; as many as may be in use are asked. */
  remembered: string[];
  swarm: Swarm;
  exchange: Exchange;
  bans: Bans;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
  onSession: (session: PeerSession) => void;
}

export class PeerPool {
  readonly #options: PeerPoolOptions;
  readonly #candidates = new Map<string, Candidate>();
  readonly #tasks: Tasks;

  constructor(options: PeerPoolOptions) {
    this.#options = options;
    this.#tasks = new Tasks(options.log, options.signal);
    for (const peerId of options.remembered.slice(0, options.maxPeers)) this.#add(peerId, true);
    this.fill();
    this.#tasks.spawn(this.#search());
  }

  /** Was no provider found so far? */
  get isEmpty(): boolean {
    return [...this.#candidates.values()].every(({ isGuess }) => isGuess);
  }

  /** Is there a provider that is not in use and could be? */
  get hasReserve(): boolean {
    return this.#ready().length > 0;
  }

  /** Ends the use of a peer. A failed one is left alone for a while; one put in reserve goes to the end of the row. */
  drop(session: PeerSession, why: "failed" | "reserve"): void {
    session.close();
    const candidate = this.#candidates.get(session.peerId);
    if (!candidate) return;
    if (why === "failed") this.#postpone(candidate);
    candidate.state = "idle";
    this.#candidates.delete(session.peerId);
    this.#candidates.set(session.peerId, candidate);
    this.fill();
  }

  /** Opens sessions while there is room and someone to talk to. Called on every tick for those whose wait is over. */
  fill(): void {
    const { maxPeers, signal } = this.#options;
    if (signal.aborted) return;
    for (const [peerId, candidate] of this.#ready().slice(0, Math.max(0, maxPeers - this.#inUse))) {
      candidate.state = "opening";
      this.#tasks.spawn(this.#open(peerId, candidate));
    }
  }

  /** Settles when nothing of the pool runs any more; call after the signal has aborted. */
  async closed(): Promise<void> {
    await this.#tasks.ended();
  }

  get #inUse(): number {
    return [...this.#candidates.values()].filter(({ state, isGuess }) => state !== "idle" && !isGuess).length;
  }

  #add(peerId: string, isGuess: boolean): void {
    this.#candidates.set(peerId, { state: "idle", failures: 0, notBeforeMs: 0, isGuess });
  }

  #ready(): [string, Candidate][] {
    const nowMs = this.#options.clock.monotonic();
    return [...this.#candidates]
      .filter(([peerId, candidate]) => {
        const isFree = candidate.state === "idle" && candidate.notBeforeMs <= nowMs;
        return isFree && !this.#options.bans.isBanned(peerId);
      })
      .sort(([, a], [, b]) => a.failures - b.failures);
  }

  async #search(): Promise<void> {
    const { swarm, fileId, clock, signal } = this.#options;
    while (!signal.aborted) {
      const round = new AbortController();
      const pause = clock.sleep(PROVIDER_SEARCH_EVERY_MS, signal).finally(() => round.abort());
      // It is awaited below; until then its end by the signal must not count as unhandled.
      pause.catch(() => {});
      for await (const peerId of swarm.providers(fileId, AbortSignal.any([signal, round.signal]))) {
        this.#found(peerId);
      }
      await pause;
    }
  }

  #found(peerId: string): void {
    const known = this.#candidates.get(peerId);
    if (known) {
      known.isGuess = false;
      known.notBeforeMs = Math.min(known.notBeforeMs, this.#options.clock.monotonic() + REDIAL_MIN_MS);
    } else if (this.#candidates.size < MAX_KNOWN_PROVIDERS && peerId !== this.#options.swarm.nodeId) {
      this.#add(peerId, false);
    }
    this.fill();
  }

  async #open(peerId: string, candidate: Candidate): Promise<void> {
    const { exchange, signal, log } = this.#options;
    try {
      this.#opened(await exchange.openSession(peerId, signal), candidate);
    } catch (error) {
      candidate.state = "idle";
      if (signal.aborted) return;
      log.debug("provider can't be reached", { peerId, error });
      if (candidate.isGuess) this.#candidates.delete(peerId);
      else this.#postpone(candidate);
      this.fill();
    }
  }

  /** The places may have been taken while a guess was dialled. */
  #opened(session: PeerSession, candidate: Candidate): void {
    Object.assign(candidate, { state: "idle", isGuess: false });
    if (this.#inUse >= this.#options.maxPeers) {
      session.close();
      return;
    }
    candidate.state = "open";
    this.#options.onSession(session);
  }

  #postpone(candidate: Candidate): void {
    const waitMs = Math.min(REDIAL_MAX_MS, REDIAL_MIN_MS * 2 ** candidate.failures);
    candidate.failures += 1;
    candidate.notBeforeMs = this.#options.clock.monotonic() + waitMs;
  }
}
