/**
 * The announcement topic: publishes, and takes in what others publish after it was checked. A malformed message is
 * rejected (its carrier loses score), one of a banned or too talkative author is dropped; neither is passed on.
 * Called by openNetwork; gossipsub has verified author and signature before.
 */
import { TopicValidatorResult } from "@libp2p/gossipsub";
import { isSharingError } from "../sharing/errors.ts";
import type { Clock } from "../sharing/ports.ts";
import { type AnnounceMessage, decodeAnnouncement } from "./announcement.ts";
import type { Libp2pNode } from "./libp2p-node.ts";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND, MAX_AUTHORS } from "./limits.ts";
import { MessageRate } from "./message-rate.ts";
import { announceTopic } from "./swarm-name.ts";

export interface GossipPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  isBanned(peerId: string): boolean;
  onMessage(authorId: string, message: AnnounceMessage): void;
  /** A connected peer began to follow the topic: from now on it hears what is published. */
  onFollower(peerId: string): void;
}

export class Gossip {
  readonly #ports: GossipPorts;
  readonly #topic: string;
  readonly #rate: MessageRate;

  constructor(ports: GossipPorts) {
    this.#ports = ports;
    this.#topic = announceTopic(ports.swarm);
    this.#rate = new MessageRate(ports.clock, {
      burst: AUTHOR_MESSAGE_BURST,
      perSecond: AUTHOR_MESSAGES_PER_SECOND,
      maxKeys: MAX_AUTHORS,
    });
  }

  start(): void {
    const { gossip } = this.#ports.node.services;
    gossip.topicValidators.set(this.#topic, (_carrier, message) =>
      message.type === "signed"
        ? this.#receive(message.from.toString(), message.data)
        : TopicValidatorResult.Reject,
    );
    gossip.addEventListener("subscription-change", ({ detail }) => {
      const follows = detail.subscriptions.some(({ topic, subscribe }) => topic === this.#topic && subscribe);
      if (follows) this.#ports.onFollower(detail.peerId.toString());
    });
    gossip.subscribe(this.#topic);
  }

  /** False when it could not be sent to every follower: a fresh one's stream may not be open yet. */
  async publish(bytes: Uint8Array): Promise<boolean> {
    const { gossip } = this.#ports.node.services;
    const { recipients } = await gossip.publish(this.#topic, bytes);
    return recipients.length >= gossip.getSubscribers(this.#topic).length;
  }

  #receive(authorId: string, data: Uint8Array): TopicValidatorResult {
    if (this.#ports.isBanned(authorId) || !this.#rate.take(authorId)) return TopicValidatorResult.Ignore;
    try {
      this.#ports.onMessage(authorId, decodeAnnouncement(data));
      return TopicValidatorResult.Accept;
    } catch (error) {
      if (isSharingError(error, "protocol_error")) return TopicValidatorResult.Reject;
      throw error;
    }
  }
}
