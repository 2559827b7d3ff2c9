/**
 * A relay names those of one swarm to each other that are connected to it, whichever swarm it is of itself. It keeps of
 * each which one it means and where it came from, and that no longer than its connection. Made by openNetwork for a
 * relay; calls rendezvous-messages.
 */
import type { Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { equals } from "multiformats/bytes";
import type { Clock } from "../../sharing/ports.ts";
import { shuffled } from "../../sharing/shuffled.ts";
import { writeAuthorAddresses } from "../announcing/author-addresses.ts";
import { keptAddresses } from "../connecting/kept-addresses.ts";
import { originOf } from "../connecting/remote-address.ts";
import { fromEachOrigin } from "../from-each-origin.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_CONNECTIONS, MAX_INBOUND_STREAMS_PER_PROTOCOL } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import type { NetworkLog } from "../network-log.ts";
import { answerOne } from "../one-answer.ts";
import {
  MAX_PEERS_NAMED,
  RENDEZVOUS_BURST,
  RENDEZVOUS_PER_SECOND,
  RENDEZVOUS_QUESTION_BYTES,
  RENDEZVOUS_TIMEOUT_MS,
} from "./limits.ts";
import {
  decodeRendezvousQuestion,
  encodeRendezvousAnswer,
  type Named,
  RENDEZVOUS_PROTOCOL,
  swarmHash,
} from "./rendezvous-messages.ts";

export interface RendezvousPointPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  log: NetworkLog;
}

interface Guest {
  peerId: string;
  /** By its hash. */
  swarm: Uint8Array;
  /** From where it came. */
  origin: string | undefined;
}

export class RendezvousPoint {
  readonly #ports: RendezvousPointPorts;
  readonly #ownHash: Uint8Array;
  /** Those that asked and are connected. */
  readonly #guests = new Map<string, Guest>();
  readonly #answered: MessageRate;

  constructor(ports: RendezvousPointPorts) {
    this.#ports = ports;
    this.#ownHash = swarmHash(ports.swarm);
    this.#answered = new MessageRate(ports.clock, {
      burst: RENDEZVOUS_BURST,
      perSecond: RENDEZVOUS_PER_SECOND,
      maxKeys: MAX_CONNECTIONS,
    });
  }

  /** Before the node starts, so that nobody comes too early. */
  async listen(): Promise<void> {
    const { node, log } = this.#ports;
    await node.handle(
      RENDEZVOUS_PROTOCOL,
      (stream, { remotePeer, remoteAddr }) => {
        const peer = remotePeer.toString();
        return this.#answer(stream, { peerId: peer, origin: originOf(remoteAddr) }).catch((error) =>
          log("nobody was named to a peer", { peer, error }),
        );
      },
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    node.addEventListener("peer:disconnect", ({ detail }) => this.#guests.delete(detail.toString()));
  }

  async #answer(stream: Stream, asker: Omit<Guest, "swarm">): Promise<void> {
    const signal = AbortSignal.timeout(RENDEZVOUS_TIMEOUT_MS);
    const answer = async (question: Uint8Array) => {
      const swarm = decodeRendezvousQuestion(question);
      const isOwn = equals(swarm, this.#ownHash);
      return encodeRendezvousAnswer(isOwn ? undefined : await this.#others({ ...asker, swarm }));
    };
    await answerOne(stream, answer, { maxBytes: RENDEZVOUS_QUESTION_BYTES, signal });
  }

  /** Some of those that can be reached; none to who asks too often. */
  async #others(asker: Guest): Promise<Named[]> {
    const { node } = this.#ports;
    // It may have gone since it wrote.
    if (node.getConnections(peerIdFromString(asker.peerId)).length > 0) this.#guests.set(asker.peerId, asker);
    if (!this.#answered.take(asker.peerId)) return [];
    const others = [...this.#guests.values()].filter(
      ({ peerId, swarm }) => peerId !== asker.peerId && equals(swarm, asker.swarm),
    );
    const named: Named[] = [];
    for (const { peerId } of fromEachOrigin(shuffled(others, Math.random), ({ origin }) => origin)) {
      const addresses = writeAuthorAddresses(await keptAddresses(node, peerIdFromString(peerId)));
      if (addresses.length > 0) named.push({ peerId, addresses });
      if (named.length >= MAX_PEERS_NAMED) break;
    }
    return named;
  }
}
