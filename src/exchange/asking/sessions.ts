/**
 * Conversations with the peers we ask: opened at first use, shared by all who hold a session with that peer, and kept
 * for a while after the last one let go. Called by exchange, makes asking and wire.
 */
import { CID } from "multiformats/cid";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import type { Clock, HaveNews, PeerSession } from "../../sharing/ports.ts";
import { unlessAborted } from "../../sharing/unless-aborted.ts";
import {
  IDLE_SESSION_MS,
  IN_FLIGHT_BULK,
  IN_FLIGHT_SMALL,
  MAX_ASKED_PEERS,
  OPEN_TIMEOUT_MS,
  UNDER_WAY_SMALL,
} from "../limits.ts";
import { type ExchangeStreams, isBulk, PROTOCOL } from "../protocol.ts";
import { Wire } from "../wire/wire.ts";
import { Asking, type AskingParts } from "./asking.ts";

export interface SessionParts {
  streams: ExchangeStreams;
  clock: Clock;
  /** What a new conversation with the peer needs; `onClosed` is called when it ends. */
  partsFor(peerId: string): Omit<AskingParts, "maxInFlight">;
}

/** One open conversation and how many hold it. */
interface Conversation {
  asking: Asking;
  wire: Wire;
  holders: number;
  idle: AbortController;
}

export class Sessions {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, Conversation>();
  readonly #opening = new Map<string, Promise<Conversation>>();
  readonly #stopping = new AbortController();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** @throws SharingError `peer_unreachable`, `stopped`, and the signal's reason */
  async open(peerId: string, signal: AbortSignal): Promise<PeerSession> {
    signal.throwIfAborted();
    this.#stopping.signal.throwIfAborted();
    const conversation = this.#open.get(peerId) ?? (await unlessAborted(this.#opened(peerId), signal));
    return this.#hold(peerId, conversation);
  }

  stop(): void {
    const stopped = new SharingError("stopped", "the exchange is stopped");
    this.#stopping.abort(stopped);
    for (const { wire } of this.#open.values()) wire.fail(stopped);
  }

  /** The one attempt under way to reach the peer, or a new one. It outlives a caller that gives up. */
  #opened(peerId: string): Promise<Conversation> {
    const known = this.#opening.get(peerId);
    if (known !== undefined) return known;
    const opening = this.#openNew(peerId).finally(() => this.#opening.delete(peerId));
    this.#opening.set(peerId, opening);
    return opening;
  }

  async #openNew(peerId: string): Promise<Conversation> {
    this.#makeRoom();
    const { streams, partsFor } = this.#parts;
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
    const stream = await streams.openStream(peerId, PROTOCOL, signal).catch((cause) => {
      this.#stopping.signal.throwIfAborted();
      throw new SharingError("peer_unreachable", `no stream to ${peerId}`, { cause });
    });
    const parts = partsFor(peerId);
    const isInBulk = isBulk(streams.transportOf(peerId));
    const asking: Asking = new Asking(
      {
        ...parts,
        maxInFlight: isInBulk ? IN_FLIGHT_BULK : IN_FLIGHT_SMALL,
        pacing: isInBulk ? parts.pacing : undefined,
        onClosed: (error) => {
          this.#open.delete(peerId);
          conversation.idle.abort();
          parts.onClosed(error);
        },
      },
      () => wire,
    );
    const wire = new Wire(stream, asking);
    const conversation: Conversation = { asking, wire, holders: 0, idle: new AbortController() };
    this.#open.set(peerId, conversation);
    this.#closeWhenIdle(conversation);
    if (this.#stopping.signal.aborted) wire.fail(this.#stopping.signal.reason);
    return conversation;
  }

  #makeRoom(): void {
    if (this.#open.size + this.#opening.size < MAX_ASKED_PEERS) return;
    const idle = [...this.#open.values()].find(({ holders }) => holders === 0);
    if (idle === undefined) throw new SharingError("peer_unreachable", "too many peers are asked already");
    this.#close(idle);
  }

  #hold(peerId: string, conversation: Conversation): PeerSession {
    const { asking } = conversation;
    const closing = new AbortController();
    conversation.holders += 1;
    conversation.idle.abort();
    return {
      peerId,
      maxInFlight: Math.max(asking.maxInFlight, UNDER_WAY_SMALL),
      fetch: (request) => asking.fetch(request),
      prioritize: (cid, priority) => asking.prioritize(cid, priority),
      haves: (fileId, chunkCount, signal) => follow(asking, fileId, chunkCount, [signal, closing.signal]),
      close: () => {
        if (closing.signal.aborted) return;
        closing.abort();
        conversation.holders -= 1;
        if (conversation.holders === 0 && !asking.isClosed) this.#closeWhenIdle(conversation);
      },
    };
  }

  #closeWhenIdle(conversation: Conversation): void {
    const idle = new AbortController();
    conversation.idle = idle;
    const close = () => {
      if (!idle.signal.aborted) this.#close(conversation);
    };
    // the sleep rejects only when the conversation is held again
    this.#parts.clock.sleep(IDLE_SESSION_MS, idle.signal).then(close, close);
  }

  #close({ asking, wire }: Conversation): void {
    wire.close();
    asking.onClosed(new SharingError("peer_lost", "the conversation was closed for want of use"));
  }
}

async function* follow(
  asking: Asking,
  fileId: string,
  chunkCount: number,
  signals: AbortSignal[],
): AsyncGenerator<HaveNews, void, void> {
  const isLeft = () => signals.some(({ aborted }) => aborted);
  if (isLeft()) return;
  if (!asking.isClosed) yield* asking.watch(CID.parse(fileId), chunkCount).updates(...signals);
  const { closedBy } = asking;
  if (!isLeft() && isSharingError(closedBy, "protocol_error")) throw closedBy;
}
