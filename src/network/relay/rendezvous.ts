/**
 * Finds others of this swarm at relays of another, where no gossip of it goes: asks each relay that is connected who of them is
 * there, at once and again from time to time. Made by the swarm; calls rendezvous-messages. Who answers is rendezvous-point.
 */
import type { Stream } from "@libp2p/interface";
import type { Clock } from "../../sharing/ports.ts";
import { onSpeaker } from "../connecting/speakers.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import type { NetworkLog } from "../network-log.ts";
import { askOne } from "../one-answer.ts";
import {
  MAX_RENDEZVOUS_ANSWER_BYTES,
  RENDEZVOUS_PAUSE_MAX_MS,
  RENDEZVOUS_PAUSE_MS,
  RENDEZVOUS_TIMEOUT_MS,
} from "./limits.ts";
import {
  decodeRendezvousAnswer,
  encodeRendezvousQuestion,
  type Named,
  RENDEZVOUS_PROTOCOL,
  swarmHash,
} from "./rendezvous-messages.ts";

export interface RendezvousPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  log: NetworkLog;
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
  /** The relay says that the peer is of this swarm. */
  onNamed(named: Named): void;
}

export class Rendezvous {
  readonly #ports: RendezvousPorts;
  /** Relays that are connected, each with the end of being asked. */
  readonly #visited = new Map<string, AbortController>();

  constructor(ports: RendezvousPorts) {
    this.#ports = ports;
  }

  /** Asks whoever connects and can be asked. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node } = this.#ports;
    await onSpeaker(node, RENDEZVOUS_PROTOCOL, (relay) => {
      if (!this.#visited.has(relay)) void this.#visit(relay);
    });
    node.addEventListener("peer:disconnect", ({ detail }) => this.#leave(detail.toString()));
  }

  stop(): void {
    for (const relay of this.#visited.keys()) this.#leave(relay);
  }

  #leave(relay: string): void {
    this.#visited.get(relay)?.abort();
    this.#visited.delete(relay);
  }

  /** Until it has gone, or says that it is of this swarm: there gossip tells of the others. */
  async #visit(relay: string): Promise<void> {
    const { clock, log } = this.#ports;
    const leaving = new AbortController();
    this.#visited.set(relay, leaving);
    let pauseMs = RENDEZVOUS_PAUSE_MS;
    while (!leaving.signal.aborted) {
      try {
        const named = await this.#ask(relay, leaving.signal);
        if (named === undefined) return;
        for (const peer of named) this.#ports.onNamed(peer);
      } catch (error) {
        if (!leaving.signal.aborted) log("a relay named nobody", { relay, error });
      }
      // Half of it at random: those that came with the relay don't dial each other at the same moment.
      await clock.sleep(pauseMs * (0.5 + Math.random() / 2), leaving.signal).catch((error) => {
        if (!leaving.signal.aborted) throw error;
      });
      pauseMs = Math.min(2 * pauseMs, RENDEZVOUS_PAUSE_MAX_MS);
    }
  }

  async #ask(relay: string, leaving: AbortSignal): Promise<Named[] | undefined> {
    const { swarm, openStream } = this.#ports;
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(RENDEZVOUS_TIMEOUT_MS)]);
    const stream = await openStream(relay, RENDEZVOUS_PROTOCOL, signal);
    const question = encodeRendezvousQuestion(swarmHash(swarm));
    const bounds = { maxBytes: MAX_RENDEZVOUS_ANSWER_BYTES, signal };
    return await askOne(stream, question, decodeRendezvousAnswer, bounds);
  }
}
