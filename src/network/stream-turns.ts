/**
 * When a peer that asks much has its next answer: a page of what this node tells of its files, which takes 2 ms to make
 * and is asked for by an empty frame, or what it holds unlisted. Who asks for more waits, as with the DHT. Made by the
 * swarm, excerpts and unlisted.
 */
import type { Connection, Stream } from "@libp2p/interface";
import type { Clock } from "../sharing/ports.ts";
import { originOf } from "./connecting/remote-address.ts";
import { HostTurns } from "./host-turns.ts";
import { ANSWER_BURST, ANSWERS_PER_SECOND, MAX_CONNECTIONS } from "./limits.ts";
import { MessageRate } from "./message-rate.ts";
import { endOf } from "./or-aborted.ts";

/**
 * Settles when the next answer may be made.
 * @throws the signal's reason, SharingError `peer_lost` once the stream has ended
 */
export type UntilTurn = (signal: AbortSignal) => Promise<void>;

export class StreamTurns {
  readonly #clock: Clock;
  readonly #rate: MessageRate;
  readonly #hosts: HostTurns;

  /** `rate`: answers for each peer. */
  constructor(clock: Clock, rate: { burst: number; perSecond: number }) {
    this.#clock = clock;
    this.#rate = new MessageRate(clock, { ...rate, maxKeys: MAX_CONNECTIONS });
    this.#hosts = new HostTurns(clock, { burst: ANSWER_BURST, perSecond: ANSWERS_PER_SECOND });
  }

  /** Those of one peer, on all of its streams together. Nothing waits for a stream that has ended: a peer could end thousands. */
  of({ remotePeer, remoteAddr }: Connection, stream: Stream): UntilTurn {
    const peerId = remotePeer.toString();
    const origin = originOf(remoteAddr) ?? peerId;
    const ended = endOf(stream);
    return async (signal) => {
      const over = AbortSignal.any([signal, ended]);
      while (!this.#rate.take(peerId)) await this.#clock.sleep(this.#rate.waitMs(peerId), over);
      await this.#hosts.next(origin, peerId, over);
    };
  }
}
