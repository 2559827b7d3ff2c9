/** A peer that a transfer is asking: what is under way with it, and how fast it answers. Kept by the transfer alone. */
import { Meter } from "./meter.ts";
import type { Clock, PeerSession } from "./ports.ts";
import { RequestWindow } from "./request-window.ts";

export class ActivePeer {
  readonly session: PeerSession;
  readonly window: RequestWindow;
  readonly meter: Meter;
  /** Aborts with the end of its use: ends what is under way besides requests. */
  readonly signal: AbortSignal;
  idleSinceMs: number;
  readonly #gone = new AbortController();
  readonly #requests = new Map<number, AbortController>();

  constructor(session: PeerSession, clock: Clock) {
    this.session = session;
    this.window = new RequestWindow(session.maxInFlight);
    this.meter = new Meter(() => clock.monotonic());
    this.signal = this.#gone.signal;
    this.idleSinceMs = clock.monotonic();
  }

  get id(): string {
    return this.session.peerId;
  }

  get isAsked(): boolean {
    return this.#requests.size > 0;
  }

  get hasRoom(): boolean {
    return this.#requests.size < this.window.size;
  }

  /** A request for a chunk begins; the signal ends it. */
  begin(index: number): AbortSignal {
    const request = new AbortController();
    this.#requests.set(index, request);
    return request.signal;
  }

  /** The request has ended; false if nobody waited for it any more. */
  end(index: number): boolean {
    return this.#requests.delete(index);
  }

  cancel(index: number, reason: Error): void {
    this.#requests.get(index)?.abort(reason);
    this.#requests.delete(index);
  }

  leave(reason: Error): void {
    this.#gone.abort(reason);
    for (const request of this.#requests.values()) request.abort(reason);
  }
}
