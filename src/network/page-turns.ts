/**
 * When a peer is given the next page of what this node tells of its files, a catalogue or excerpts: each is asked for by an empty
 * frame, and takes 2 ms to make. Who asks for many waits, as with the DHT. Made by the swarm and by excerpts.
 */
import type { Stream } from "@libp2p/interface";
import type { Clock } from "../sharing/ports.ts";
import { MAX_CONNECTIONS, PAGE_BURST, PAGES_PER_SECOND } from "./limits.ts";
import { MessageRate } from "./message-rate.ts";
import { endOf } from "./or-aborted.ts";

/** Settles when the next page may be made. @throws the signal's reason, SharingError `peer_lost` once the stream has ended */
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

  /** Those of one peer, on all of its streams together. Nothing waits for a stream that has ended: a peer could end thousands. */
  of(peerId: string, stream: Stream): UntilTurn {
    const ended = endOf(stream);
    return async (signal) => {
      while (!this.#rate.take(peerId))
        await this.#clock.sleep(this.#rate.waitMs(peerId), AbortSignal.any([signal, ended]));
    };
  }
}
