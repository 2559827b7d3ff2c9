/**
 * The open requests of one served peer, and the blocks for those that come next (asked-order), read a few ahead. Kept by
 * serving, which sends them; reads from the BlockSource.
 */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { SharingError } from "../../sharing/errors.ts";
import { blockKey } from "../../sharing/hash.ts";
import type { BlockSource, Priority } from "../../sharing/ports.ts";
import { byUrgency, type WantMessage } from "../wire/messages.ts";
import { type Asked, begin, inTurn } from "./asked-order.ts";
import type { GivenBlocks } from "./given-blocks.ts";
import type { HeldBlocks } from "./held-blocks.ts";
import type { Outlet } from "./outlet.ts";

export interface AnswersParts {
  source: BlockSource;
  /** Of the peer. */
  held: HeldBlocks;
  given: GivenBlocks;
  /** Another block may be the next to be sent. */
  onNext(): void;
  /** The source failed: the peer is told that the block is missing. */
  onSourceError(error: unknown): void;
}

/** A request from its WANT until all of its answer is with the outlet. */
export interface Answer extends Asked {
  outlet: Outlet;
  reading: AbortController | undefined;
  block: Uint8Array | undefined;
  /** What the block was read into, for its next reader. */
  buffer: Uint8Array | undefined;
  sentBytes: number;
}

/** A request whose block is at hand. */
export type ReadAnswer = Answer & { block: Uint8Array };

export class Answers {
  readonly #parts: AnswersParts;
  /** By priority and then age. */
  #all: Answer[] = [];
  /** Until all that came at once has been read: a peer may say so in four bytes each. */
  #isToBeOrdered = false;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
    parts.held.onReadInVain = () => this.readOn();
  }

  get count(): number {
    return this.#all.length;
  }

  /** Something is being read for the peer, maybe for nobody any more. */
  get isReading(): boolean {
    return this.#parts.held.isReading(this.#all.filter(isRead).length);
  }

  /** Those that can be sent, the next first. */
  get read(): ReadAnswer[] {
    return this.#inTurn.filter(isRead);
  }

  add(want: WantMessage, outlet: Outlet): void {
    const name = blockKey(cidOf(want));
    const unread = { reading: undefined, block: undefined, buffer: undefined };
    const answer = { want, name, outlet, ...unread, sentBytes: 0, passedBy: 0 };
    this.#all.push(answer);
    this.#order();
  }

  /** It is so urgent from now on, if it is open. */
  prioritize(requestId: number, priority: Priority): void {
    const answer = this.#all.find(({ want }) => want.requestId === requestId);
    if (answer === undefined) return;
    answer.want.priority = priority;
    if (this.#isToBeOrdered) return;
    this.#isToBeOrdered = true;
    queueMicrotask(() => {
      this.#isToBeOrdered = false;
      this.#order();
      this.#parts.onNext();
    });
  }

  /** The first bytes of it are sent. */
  begin(answer: Answer): void {
    begin(answer, this.#all, this.#parts.given);
  }

  /**
   * Forgets those that are not wanted any more, and gives them. An error is made for these alone: a peer may say so in
   * three bytes.
   */
  withdraw(isUnwanted: (answer: Answer) => boolean, why: string): Answer[] {
    const withdrawn = this.#all.filter(isUnwanted);
    for (const answer of withdrawn) {
      answer.reading?.abort(new SharingError("stopped", why));
      this.drop(answer);
    }
    if (withdrawn.length > 0) {
      this.readOn();
      this.#parts.onNext();
    }
    return withdrawn;
  }

  /** Forgets a request, answered or not, and the block it held; another may then be read. */
  drop(answer: Answer): void {
    this.#all.splice(this.#all.indexOf(answer), 1);
    this.#letGo(answer);
  }

  /** Starts reading the next blocks, as many as may be held. */
  readOn(): void {
    const { held } = this.#parts;
    for (const answer of this.#inTurn) {
      if (answer.reading !== undefined) continue;
      if (!held.mayRead || !(held.tryTake() || this.#takeHoldOfLessUrgent(answer))) return;
      void this.#read(answer);
    }
  }

  /** A second has passed. */
  onTick(): void {
    this.#parts.held.onTick();
    this.readOn();
  }

  /** Nothing more is read. */
  close(error: SharingError): void {
    for (const answer of this.#all) {
      answer.reading?.abort(error);
      this.#letGo(answer);
    }
    this.#all = [];
    this.#parts.held.onReadInVain = () => {};
  }

  #order(): void {
    this.#all.sort((a, b) => byUrgency(a.want, b.want));
    this.readOn();
  }

  get #inTurn(): Answer[] {
    return inTurn(this.#all, this.#parts.given);
  }

  /** A block that was read ahead and not begun is put back for one that somebody waits for; of those that are being read, one. */
  #takeHoldOfLessUrgent({ want }: Answer): boolean {
    const { held: blocks } = this.#parts;
    const other = this.#all.findLast(
      (held) =>
        held.reading !== undefined &&
        held.sentBytes === 0 &&
        held.want.priority < want.priority &&
        (isRead(held) || blocks.mayOust),
    );
    if (other === undefined) return false;
    if (isRead(other)) blocks.putBack();
    else if (other.reading !== undefined) blocks.oust(other.reading);
    other.reading?.abort(new SharingError("stopped", "a more urgent block is read first"));
    other.reading = undefined;
    this.#giveBuffer(other);
    return true;
  }

  async #read(answer: Answer): Promise<void> {
    const { source, held } = this.#parts;
    const reading = new AbortController();
    const buffer = source.buffers.take();
    answer.reading = reading;
    let block: Uint8Array | undefined;
    try {
      block = await source.readBlock(cidOf(answer.want), reading.signal, buffer);
    } catch (error) {
      if (!reading.signal.aborted) this.#parts.onSourceError(error);
    }
    const isAborted = reading.signal.aborted;
    if (!isAborted && block !== undefined && block.length <= answer.want.maxBytes) {
      answer.block = block;
      answer.buffer = buffer;
      this.#parts.onNext();
      return;
    }
    source.buffers.give(buffer);
    if (!isAborted) {
      this.drop(answer);
      answer.outlet.notify({ type: "missing", requestId: answer.want.requestId });
    }
    held.readInVain(reading, isAborted || block !== undefined);
  }

  #letGo(answer: Answer): void {
    if (!isRead(answer)) return;
    const { block, sentBytes } = answer;
    this.#giveBuffer(answer);
    this.#parts.held.giveBack(block, sentBytes === block.length);
  }

  #giveBuffer(answer: Answer): void {
    if (answer.buffer !== undefined) this.#parts.source.buffers.give(answer.buffer);
    answer.buffer = undefined;
    answer.block = undefined;
  }
}

/** What a message names. */
export function cidOf({ codec, digest }: { codec: number; digest: Uint8Array }): CID {
  return CID.createV1(codec, createDigest(sha256.code, digest));
}

function isRead(answer: Answer): answer is ReadAnswer {
  return answer.block !== undefined;
}
