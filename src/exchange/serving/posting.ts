/**
 * Answers of one served peer that are posted, each a whole block: asks for the ticket, posts a few at a time (asked-order), and
 * hands back what is to be answered on the stream after all. Made by serving for a peer to which the post path leads.
 * Protocol: README.md.
 */
import { SharingError } from "../../sharing/errors.ts";
import { blockKey, RAW } from "../../sharing/hash.ts";
import type { Priority } from "../../sharing/ports.ts";
import { FIRST_POST_MS, MAX_DATA_BYTES, POST_MS, POSTS_AT_ONCE } from "../limits.ts";
import type { PostPath } from "../post-path.ts";
import type { PeerTraffic } from "../rates/traffic.ts";
import { ticketText } from "../side-path.ts";
import { byUrgency, type Message, type WantMessage } from "../wire/messages.ts";
import { cidOf } from "./answers.ts";
import { type Asked, begin, inTurn } from "./asked-order.ts";
import type { GivenBlocks } from "./given-blocks.ts";

export interface PostingParts {
  path: PostPath;
  given: GivenBlocks;
  traffic: PeerTraffic;
  /** A rate is kept in pieces smaller than a block. */
  isRateLimited(): boolean;
  notify(message: Message): void;
  /** To be answered on the stream. */
  onUnposted(want: WantMessage): void;
  /** For the log. */
  onLost(reason: unknown): void;
}

export class Posting {
  readonly #parts: PostingParts;
  readonly #ending = new AbortController();
  #state: "unasked" | "asked" | "open" | "ended" = "unasked";
  #ticket = "";
  /** By priority and then age. */
  #waiting: Asked[] = [];
  readonly #underWay = new Set<WantMessage>();
  /** Whether one has arrived since another was lost. */
  #isOfUse = false;

  constructor(parts: PostingParts) {
    this.#parts = parts;
  }

  /** Requests whose answers are not known to have arrived. */
  get count(): number {
    return this.#waiting.length + this.#underWay.size;
  }

  /** Whether the answer is posted; the first time, a ticket is asked for instead. Small blocks are not worth a request each. */
  takes({ codec, maxBytes }: WantMessage): boolean {
    if (codec !== RAW || maxBytes <= MAX_DATA_BYTES || this.#parts.isRateLimited()) return false;
    if (this.#state === "unasked") {
      this.#state = "asked";
      this.#parts.notify({ type: "post_ask" });
    }
    return this.#state === "open";
  }

  /** @throws SharingError `protocol_error` for a ticket that was not asked for */
  onTicket(ticket: Uint8Array): void {
    if (this.#state !== "asked") throw new SharingError("protocol_error", "a ticket that nobody asked for");
    this.#ticket = ticketText(ticket);
    this.#state = "open";
  }

  add(want: WantMessage): void {
    this.#waiting.push({ want, name: blockKey(cidOf(want)), sentBytes: 0, passedBy: 0 });
    this.#order();
    this.#postOn();
  }

  /** It is so urgent from now on: if it waits, or is left to the stream. */
  prioritize(requestId: number, priority: Priority): void {
    const wants = [...this.#waiting.map(({ want }) => want), ...this.#underWay];
    const want = wants.find((one) => one.requestId === requestId);
    if (want === undefined) return;
    want.priority = priority;
    this.#order();
  }

  /** Whether the request was waiting and is forgotten; what is under way counts as sent. */
  cancel(requestId: number): boolean {
    const place = this.#waiting.findIndex(({ want }) => want.requestId === requestId);
    if (place !== -1) this.#waiting.splice(place, 1);
    return place !== -1;
  }

  /** The conversation is over. */
  close(): void {
    this.#state = "ended";
    this.#waiting = [];
    this.#ending.abort(new SharingError("stopped", "the conversation ended"));
  }

  #order(): void {
    this.#waiting.sort((a, b) => byUrgency(a.want, b.want));
  }

  #postOn(): void {
    const { isRateLimited, given } = this.#parts;
    if (isRateLimited()) this.#leaveToStream();
    while (this.#underWay.size < POSTS_AT_ONCE) {
      const [next] = inTurn(this.#waiting, given);
      if (next === undefined) return;
      begin(next, this.#waiting, given);
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      void this.#post(next.want);
    }
  }

  async #post(want: WantMessage): Promise<void> {
    const { path, traffic, notify, onUnposted } = this.#parts;
    const { requestId, maxBytes } = want;
    const patience = AbortSignal.timeout(this.#isOfUse ? POST_MS : FIRST_POST_MS);
    const signal = AbortSignal.any([this.#ending.signal, patience]);
    this.#underWay.add(want);
    let sentBytes: number | undefined;
    let lost: { reason: unknown } | undefined;
    try {
      sentBytes = await path.post({ ticket: this.#ticket, requestId, cid: cidOf(want), maxBytes }, signal);
    } catch (reason) {
      lost = { reason };
    }
    this.#underWay.delete(want);
    if (this.#ending.signal.aborted) return;
    if (lost !== undefined) {
      notify({ type: "unposted", requestId });
      this.#onLost(lost.reason);
    } else if (sentBytes === undefined) {
      onUnposted(want);
    } else {
      traffic.uploaded(sentBytes);
      this.#isOfUse = true;
    }
    this.#postOn();
  }

  /** A connection may be lost; where none arrives, the stream is better. */
  #onLost(reason: unknown): void {
    this.#parts.onLost(reason);
    if (!this.#isOfUse) {
      this.#state = "ended";
      this.#leaveToStream();
    }
    this.#isOfUse = false;
  }

  #leaveToStream(): void {
    for (const { want } of this.#waiting.splice(0)) this.#parts.onUnposted(want);
  }
}
