/**
 * The announcement topic: publishes, and takes in what others publish after it was checked. A malformed message is
 * rejected (its carrier loses score), one of a banned or too talkative author is dropped; neither is passed on.
 * Made by the swarm; gossipsub has verified author and signature before.
 */
import { TopicValidatorResult } from "@libp2p/gossipsub";
import { isSharingError } from "../../sharing/errors.ts";
import type { Clock } from "../../sharing/ports.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_AUTHORS } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import { announceTopic } from "../swarm-name.ts";
import { type AnnounceMessage, decodeAnnouncement, decodePosition, type Position } from "./announcement.ts";
import { mendStreams, type OpenGossip } from "./gossip-streams.ts";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND } from "./limits.ts";

export interface GossipPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  isBanned(peerId: string): boolean;
  /** Whether the author was heard to say this, or something later. */
  isOld(authorId: string, at: Position): boolean;
  /** `carrierId`: the peer that passed it on. */
  onMessage(authorId: string, message: AnnounceMessage, carrierId: string): void;
  /** A connected peer that follows the topic can be sent to: from now on it hears what is published. */
  onFollower(peerId: string): void;
}

/** Followers of the topic: those that a message was sent to, and those that it could not be sent to. */
export interface Reach {
  reached: number;
  missed: number;
}

export class Gossip {
  readonly #ports: GossipPorts;
  readonly #topic: string;
  readonly #news: MessageRate;
  /** Anybody may keep what an author says, and say it again: that takes nothing of what the author may say. */
  readonly #repeats: MessageRate;

  constructor(ports: GossipPorts) {
    this.#ports = ports;
    this.#topic = announceTopic(ports.swarm);
    const ofAuthors = {
      burst: AUTHOR_MESSAGE_BURST,
      perSecond: AUTHOR_MESSAGES_PER_SECOND,
      maxKeys: MAX_AUTHORS,
    };
    this.#news = new MessageRate(ports.clock, ofAuthors);
    this.#repeats = new MessageRate(ports.clock, ofAuthors);
  }

  start(): void {
    const gossip = this.#ports.node.services.gossip as OpenGossip;
    gossip.topicValidators.set(this.#topic, (carrier, message) =>
      message.type === "signed"
        ? this.#receive(message.from.toString(), message.data, carrier.toString())
        : TopicValidatorResult.Reject,
    );
    gossip.addEventListener("subscription-change", ({ detail }) => {
      const follows = detail.subscriptions.some(({ topic, subscribe }) => topic === this.#topic && subscribe);
      if (follows && gossip.streamsOutbound.has(detail.peerId.toString())) {
        this.#ports.onFollower(detail.peerId.toString());
      }
    });
    mendStreams(gossip, this.#ports.node, (peerId) => {
      if (this.isFollowedBy(peerId.toString())) this.#ports.onFollower(peerId.toString());
    });
    gossip.subscribe(this.#topic);
  }

  /** Is the peer connected, and hears what is published? */
  isFollowedBy(peerId: string): boolean {
    const { gossip } = this.#ports.node.services;
    return gossip.getSubscribers(this.#topic).some((follower) => follower.toString() === peerId);
  }

  async publish(bytes: Uint8Array): Promise<Reach> {
    const { gossip } = this.#ports.node.services;
    const { recipients } = await gossip.publish(this.#topic, bytes);
    const followers = gossip.getSubscribers(this.#topic).length;
    return { reached: recipients.length, missed: Math.max(0, followers - recipients.length) };
  }

  #receive(authorId: string, data: Uint8Array, carrierId: string): TopicValidatorResult {
    const { isBanned, isOld, onMessage } = this.#ports;
    if (isBanned(authorId)) return TopicValidatorResult.Ignore;
    try {
      const rate = isOld(authorId, decodePosition(data)) ? this.#repeats : this.#news;
      if (!rate.take(authorId)) return TopicValidatorResult.Ignore;
      onMessage(authorId, decodeAnnouncement(data), carrierId);
      return TopicValidatorResult.Accept;
    } catch (error) {
      if (isSharingError(error, "protocol_error")) return TopicValidatorResult.Reject;
      throw error;
    }
  }
}
