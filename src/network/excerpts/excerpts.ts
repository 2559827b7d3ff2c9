/**
 * What files are about, told to the swarm and heard from it: by gossip as documents are read, and asked of a node that
 * connects. Made by the swarm; calls excerpt-messages, excerpt-protocol and gossipsub. A node that tells nothing and one that
 * is too old for this are the same to all others.
 */
import { TopicValidatorResult } from "@libp2p/gossipsub";
import type { Stream } from "@libp2p/interface";
import { Bell } from "../../sharing/bell.ts";
import { isSharingError } from "../../sharing/errors.ts";
import type { Clock, Offer } from "../../sharing/ports.ts";
import type { Standing } from "../announcing/catalogues.ts";
import { AUTHOR_MESSAGE_BURST, AUTHOR_MESSAGES_PER_SECOND, MAX_PULL_RETRIES } from "../announcing/limits.ts";
import { onSpeaker } from "../connecting/speakers.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_AUTHORS, MAX_INBOUND_STREAMS_PER_PROTOCOL, PAGE_BURST, PAGES_PER_SECOND } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import type { NetworkLog } from "../network-log.ts";
import { StreamTurns } from "../stream-turns.ts";
import { excerptTopic } from "../swarm-name.ts";
import { type Turn, Turns } from "../turns.ts";
import { decodeExcerpts, type Excerpt, encodeExcerpts, safeExcerpt } from "./excerpt-messages.ts";
import { askExcerpts, EXCERPT_PROTOCOL, serveExcerpts } from "./excerpt-protocol.ts";
import { HeardExcerpts } from "./heard-excerpts.ts";
import {
  EXCERPT_COALESCE_MS,
  EXCERPT_MESSAGE_BURST,
  EXCERPT_MESSAGES_PER_SECOND,
  EXCERPTS_TIMEOUT_MS,
  MAX_EXCERPTS_PER_AUTHOR,
  MAX_EXCERPTS_PER_MESSAGE,
} from "./limits.ts";

export interface ExcerptPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  log: NetworkLog;
  isBanned(peerId: string): boolean;
  /** What its catalogue is known by. */
  standing(peerId: string): Standing;
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
  /** Of others it tells nobody, whatever it knows of them. */
  isAnnounced(fileId: string): boolean;
  /** Something new is known of others' files. */
  onChange(): void;
}

export class Excerpts {
  readonly #ports: ExcerptPorts;
  readonly #topic: string;
  readonly #own = new Map<string, Excerpt>();
  /** File ids whose excerpt the swarm was not told yet. */
  readonly #untold = new Set<string>();
  readonly #heard: HeardExcerpts;
  readonly #changes = new Bell();
  readonly #sent: MessageRate;
  readonly #taken: MessageRate;
  readonly #stopping = new AbortController();
  readonly #turns: Turns;
  readonly #pages: StreamTurns;

  constructor(ports: ExcerptPorts) {
    const { clock } = ports;
    this.#ports = ports;
    this.#topic = excerptTopic(ports.swarm);
    this.#heard = new HeardExcerpts((peerId) => ports.standing(peerId));
    this.#turns = new Turns(clock, (peerId, turn) => this.#ask(peerId, turn));
    this.#pages = new StreamTurns(clock, { burst: PAGE_BURST, perSecond: PAGES_PER_SECOND });
    this.#sent = new MessageRate(clock, {
      burst: EXCERPT_MESSAGE_BURST,
      perSecond: EXCERPT_MESSAGES_PER_SECOND,
      maxKeys: 1,
    });
    this.#taken = new MessageRate(clock, {
      burst: AUTHOR_MESSAGE_BURST,
      perSecond: AUTHOR_MESSAGES_PER_SECOND,
      maxKeys: MAX_AUTHORS,
    });
  }

  /** Serves what is told here, and asks whoever connects. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node, swarm, log } = this.#ports;
    await node.handle(
      EXCERPT_PROTOCOL,
      (stream, connection) => {
        const peer = connection.remotePeer.toString();
        const untilTurn = this.#pages.of(connection, stream);
        return serveExcerpts(stream, swarm, () => this.#all(), untilTurn).catch((error) =>
          log("excerpts not served", { peer, error }),
        );
      },
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    await onSpeaker(node, EXCERPT_PROTOCOL, (peerId) => this.#want(peerId));
  }

  /** Tells and hears until the signal aborts. Called once the node is started. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener("abort", () => this.#stopping.abort(), { once: true });
    const { gossip } = this.#ports.node.services;
    gossip.topicValidators.set(this.#topic, (_carrier, message) =>
      message.type === "signed"
        ? this.#receive(message.from.toString(), message.data)
        : TopicValidatorResult.Reject,
    );
    gossip.subscribe(this.#topic);
    await this.#tell(signal);
  }

  describe(fileId: string, excerpt: string): void {
    const text = safeExcerpt(excerpt);
    if ((this.#own.get(fileId)?.text ?? "") === text) return;
    if (text === "") this.#own.delete(fileId);
    else if (this.#own.size < MAX_EXCERPTS_PER_AUTHOR || this.#own.has(fileId))
      this.#own.set(fileId, { fileId, text });
    else return;
    this.#untold.add(fileId);
    this.#changes.ring();
  }

  /** The file is announced now, as it was not before: what is told of it was held back. */
  announced(fileId: string): void {
    if (!this.#own.has(fileId)) return;
    this.#untold.add(fileId);
    this.#changes.ring();
  }

  /** The file is gone, and with it what was told of it. */
  withdraw(fileId: string): void {
    this.#own.delete(fileId);
    this.#untold.delete(fileId);
  }

  /** The offer, with what its holders say of it. */
  withExcerpt(offer: Offer): Offer {
    const excerpt = this.#heard.of(offer);
    return excerpt === undefined ? offer : { ...offer, excerpt };
  }

  #all(): Excerpt[] {
    return [...this.#own.values()].filter(({ fileId }) => this.#ports.isAnnounced(fileId));
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { node, clock, log, isAnnounced } = this.#ports;
    for (;;) {
      await this.#changes.wait(signal);
      await clock.sleep(EXCERPT_COALESCE_MS, signal);
      while (this.#untold.size > 0) {
        while (!this.#sent.take("own")) await clock.sleep(this.#sent.waitMs("own"), signal);
        const batch = [...this.#untold].slice(0, MAX_EXCERPTS_PER_MESSAGE);
        for (const fileId of batch) this.#untold.delete(fileId);
        const excerpts = batch
          .filter((fileId) => isAnnounced(fileId))
          .map((fileId) => this.#own.get(fileId) ?? { fileId, text: "" });
        if (excerpts.length === 0) continue;
        try {
          await node.services.gossip.publish(this.#topic, encodeExcerpts(excerpts));
        } catch (error) {
          // Who missed it finds these files by their names, and asks when it connects again.
          log("could not tell excerpts", { error });
        }
      }
    }
  }

  #receive(authorId: string, data: Uint8Array): TopicValidatorResult {
    const { node, isBanned, standing } = this.#ports;
    if (authorId === node.peerId.toString()) return TopicValidatorResult.Ignore;
    if (isBanned(authorId) || !this.#taken.take(authorId)) return TopicValidatorResult.Ignore;
    try {
      this.#hear(authorId, decodeExcerpts(data), standing(authorId));
      return TopicValidatorResult.Accept;
    } catch (error) {
      if (isSharingError(error, "protocol_error")) return TopicValidatorResult.Reject;
      throw error;
    }
  }

  #hear(authorId: string, excerpts: readonly Excerpt[], standing: Standing): void {
    if (this.#heard.hear(authorId, excerpts, standing)) this.#ports.onChange();
  }

  #want(peerId: string): void {
    if (!this.#ports.isBanned(peerId)) this.#turns.join(peerId);
  }

  /** Never rejects: a node that gives none is a node whose files are found by name. */
  async #ask(peerId: string, turn: Turn): Promise<void> {
    const { openStream, swarm, log } = this.#ports;
    const signal = AbortSignal.any([
      ...[this.#stopping.signal, turn.signal],
      AbortSignal.timeout(EXCERPTS_TIMEOUT_MS),
    ]);
    try {
      const stream = await openStream(peerId, EXCERPT_PROTOCOL, signal);
      // Told before, by an earlier life of it perhaps, which need not tell all that the next one does.
      const outdated = new Set(this.#heard.filesOf(peerId));
      for await (const page of askExcerpts(stream, swarm, signal)) {
        if (page.length === MAX_EXCERPTS_PER_MESSAGE) turn.brought();
        this.#hear(peerId, page, "met");
        for (const { fileId } of page) outdated.delete(fileId);
      }
      this.#hear(
        peerId,
        Array.from(outdated, (fileId) => ({ fileId, text: "" })),
        "met",
      );
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      log("no excerpts", { peer: peerId, error });
      if (turn.signal.aborted && turn.failures < MAX_PULL_RETRIES)
        this.#turns.join(peerId, turn.failures + 1);
    }
  }
}
