/**
 * When a peer is given the next page of what this node tells of its files, a catalogue or excerpts: each is asked for by an empty
 * frame, and takes 2 ms to make. Who asks for many waits, as with the DHT. Made by the swarm and by excerpts.
 */
import type { Clock } from "../sharing/ports.ts";
import { MAX_CONNECTIONS, PAGE_BURST, PAGES_PER_SECOND } from "./limits.ts";
import { MessageRate } from "./message-rate.ts";

/** Settles when the next page may be made. @throws the signal's reason */
export type UntilTurn = (signal: AbortSignal) => Promise<void>;

export class PageTurns {
  readonly #clock: Clock;
  readonly #rate: MessageRate;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#rate = new MessageRate(clock, {
      burst: PAGE_BURST,
      perSecond: PAGES_PER_SECOND,
      maxKeys: MAX_CONNECTIONS,
    });
  }

  /** Those of one peer, on all of its streams together. */
  of(peerId: string): UntilTurn {
    return async (signal) => {
      while (!this.#rate.take(peerId)) await this.#clock.sleep(this.#rate.waitMs(peerId), signal);
    };
  }
}
