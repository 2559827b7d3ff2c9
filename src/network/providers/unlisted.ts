/**
 * Files that are held and told of to nobody: whoever asks for one by its id is answered, and peers are asked in the same way for
 * what nobody lists. Made by the swarm; calls unlisted-messages. Nodes that are too old for it hold none.
 */
import type { Connection, Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { SharingError } from "../../sharing/errors.ts";
import type { Announcement, Clock, Held } from "../../sharing/ports.ts";
import { lacksProtocol } from "../connecting/dialer.ts";
import { onSpeaker } from "../connecting/speakers.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MAX_INBOUND_STREAMS_PER_PROTOCOL } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import { answerOne, askOne } from "../one-answer.ts";
import { StreamTurns } from "../stream-turns.ts";
import {
  ANSWER_PATIENCE_MS,
  ASK_AGAIN_MS,
  MAX_ANSWER_BYTES,
  MAX_QUESTION_BYTES,
  QUESTION_BURST,
  QUESTION_TIMEOUT_MS,
  QUESTIONS_PER_SECOND,
} from "./limits.ts";
import { Questions } from "./questions.ts";
import {
  type Answer,
  decodeAnswer,
  decodeQuestion,
  encodeAnswer,
  encodeQuestion,
  markOf,
  proofOf,
  UNLISTED_PROTOCOL,
} from "./unlisted-messages.ts";

export interface UnlistedPorts {
  node: Libp2pNode;
  swarm: string;
  clock: Clock;
  log: NetworkLog;
  openStream(peerId: string, protocol: string, signal: AbortSignal): Promise<Stream>;
}

/** Of one that looks for holders of a file. */
export interface HolderSearch {
  fileId: string;
  /** Nobody needs to be asked while somebody lists the file. */
  isListed(): boolean;
  /** May be told of a peer again. */
  onHolder(peerId: string): void;
  /** Those that are connected now and understand the question have answered; not told of where there are none. */
  onAnswered(): void;
}

export class Unlisted {
  readonly #ports: UnlistedPorts;
  readonly #ownId: string;
  /** By the marks with which this node is asked for them. */
  readonly #held = new Map<string, { fileId: string; held: "some" | "all" }>();
  /** Those to be asked: peers that are connected now and understand the question. */
  readonly #peers = new Map<string, Questions>();
  readonly #searches = new Set<HolderSearch>();
  readonly #turns: StreamTurns;

  constructor(ports: UnlistedPorts) {
    this.#ports = ports;
    this.#ownId = ports.node.peerId.toString();
    this.#turns = new StreamTurns(ports.clock, { burst: QUESTION_BURST, perSecond: QUESTIONS_PER_SECOND });
  }

  /** Answers, and asks whoever connects. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node, log } = this.#ports;
    await node.handle(
      UNLISTED_PROTOCOL,
      (stream, connection) => {
        const peer = connection.remotePeer.toString();
        return this.#answer(stream, connection).catch((error) =>
          log("a question not answered", { peer, error }),
        );
      },
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    await onSpeaker(node, UNLISTED_PROTOCOL, (peerId) => this.#onPeer(peerId));
    node.addEventListener("peer:disconnect", ({ detail }) => this.#peers.delete(detail.toString()));
  }

  /** From now on whoever asks for the file by its id is told that it is here. */
  hold({ fileId, complete }: Announcement): void {
    this.#held.set(this.#markHere(fileId), { fileId, held: complete ? "all" : "some" });
  }

  withdraw(fileId: string): void {
    this.#held.delete(this.#markHere(fileId));
  }

  holds(fileId: string): boolean {
    return this.#held.has(this.#markHere(fileId));
  }

  /** @throws SharingError `peer_unreachable`, also for a peer whose version asks for no unlisted files, and so finds none */
  async expectAsker(peerId: string, signal: AbortSignal): Promise<void> {
    if (this.#peers.has(peerId)) return;
    try {
      const stream = await this.#ports.openStream(peerId, UNLISTED_PROTOCOL, signal);
      await stream.close({ signal });
    } catch (cause) {
      if (!lacksProtocol(cause)) throw cause;
      throw new SharingError("peer_unreachable", "The peer's version finds no unlisted files", { cause });
    }
  }

  /** Of the peers that are connected now those that soon say that they hold the file, or some of it. */
  async holders(fileId: string): Promise<string[]> {
    const holders: string[] = [];
    const answered = [...this.#peers.keys()].map(async (peerId) => {
      if ((await this.ask(peerId, fileId)) !== "none") holders.push(peerId);
    });
    const over = new AbortController();
    // A silent one holds up nobody; the sleep rejects only when all have answered.
    const late = this.#ports.clock.sleep(ANSWER_PATIENCE_MS, over.signal).catch(() => {});
    await Promise.race([Promise.all(answered), late]);
    over.abort();
    return [...holders];
  }

  /** What the peer says that it holds of the file; nothing for one that is not connected. */
  async ask(peerId: string, fileId: string): Promise<Held> {
    const questions = this.#peers.get(peerId);
    if (questions !== undefined) return await questions.ask(fileId);
    // It may be too old for the question, or may not have told yet what it understands.
    const [held] = (await this.#question(peerId, [fileId])) ?? [];
    return held ?? "none";
  }

  /** Asks who is connected, who connects later, and all of them again after a while, until the signal aborts. */
  async search(search: HolderSearch, signal: AbortSignal): Promise<void> {
    this.#searches.add(search);
    try {
      for (;;) {
        const asked = [...this.#peers.keys()].map((peerId) => this.#askFor(search, peerId));
        // Not waited for: a silent one holds up neither the end nor the next time.
        if (asked.length > 0) void Promise.all(asked).then(() => search.onAnswered());
        await this.#ports.clock.sleep(ASK_AGAIN_MS, signal);
      }
    } finally {
      this.#searches.delete(search);
    }
  }

  #onPeer(peerId: string): void {
    // Told of at each connection.
    if (this.#peers.has(peerId)) return;
    this.#peers.set(peerId, new Questions((fileIds) => this.#question(peerId, fileIds)));
    for (const search of this.#searches) void this.#askFor(search, peerId);
  }

  async #askFor(search: HolderSearch, peerId: string): Promise<void> {
    if (search.isListed() || (await this.ask(peerId, search.fileId)) === "none") return;
    if (this.#searches.has(search)) search.onHolder(peerId);
  }

  /** What the peer holds of each. Never rejects. */
  async #question(peerId: string, fileIds: readonly string[]): Promise<Held[] | undefined> {
    const { node, openStream, swarm, log } = this.#ports;
    // It would be dialled for it.
    if (node.getConnections(peerIdFromString(peerId)).length === 0) return undefined;
    const signal = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
    const marks = fileIds.map((fileId) => markOf(peerId, fileId));
    const proofs = fileIds.map((fileId) => proofOf(peerId, this.#ownId, fileId));
    try {
      const stream = await openStream(peerId, UNLISTED_PROTOCOL, signal);
      const question = encodeQuestion({ swarm, marks });
      const read = (answer: Uint8Array) => decodeAnswer(answer, proofs);
      return await askOne(stream, question, read, { maxBytes: MAX_ANSWER_BYTES, signal });
    } catch (error) {
      log("a peer did not say what it holds", { peer: peerId, error });
      return undefined;
    }
  }

  /** One that asks too often waits for its answer. */
  async #answer(stream: Stream, connection: Connection): Promise<void> {
    const { swarm } = this.#ports;
    const peerId = connection.remotePeer.toString();
    const signal = AbortSignal.timeout(QUESTION_TIMEOUT_MS);
    const untilTurn = this.#turns.of(connection, stream);
    const answer = async (bytes: Uint8Array) => {
      const question = decodeQuestion(bytes);
      await untilTurn(signal);
      const isOurs = question.swarm === swarm;
      const answers = question.marks.map((mark): Answer => {
        const here = isOurs ? this.#held.get(textOf(mark)) : undefined;
        if (here === undefined) return { held: "none" };
        return { held: here.held, proof: proofOf(this.#ownId, peerId, here.fileId) };
      });
      return encodeAnswer(answers);
    };
    await answerOne(stream, answer, { maxBytes: MAX_QUESTION_BYTES, signal });
  }

  #markHere(fileId: string): string {
    return textOf(markOf(this.#ownId, fileId));
  }
}

/** As a key of maps. */
function textOf(mark: Uint8Array): string {
  return String.fromCharCode(...mark);
}
