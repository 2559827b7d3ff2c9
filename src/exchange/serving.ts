/**
 * Answers one peer: its requests in order of priority, its watches, and nothing that the source does not give.
 * Made by exchange for each stream a peer opens; reads blocks from the BlockSource a few ahead, sends when the fair
 * share gives it a turn and the stream, or the side stream, takes bytes. Protocol: README.md.
 */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { SharingError } from "../sharing/errors.ts";
import type { BlockSource } from "../sharing/ports.ts";
import type { FairShare, Lane } from "./fair-share.ts";
import { MAX_REQUESTS_PER_PEER, READ_AHEAD_BLOCKS } from "./limits.ts";
import type { Message, WantMessage, WatchMessage } from "./messages.ts";
import type { OfferedSides } from "./offered-sides.ts";
import type { Outlet } from "./outlet.ts";
import { Outlets } from "./outlets.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { SendBuffer } from "./send-buffer.ts";
import { ServedWatches } from "./served-watches.ts";
import type { PeerTraffic } from "./traffic.ts";
import type { Watchdog, Watched } from "./watchdog.ts";
import type { Wire, WireHandler } from "./wire.ts";

export interface ServingParts {
  source: BlockSource;
  share: FairShare;
  readAhead: ReadAhead;
  traffic: PeerTraffic;
  watchdog: Watchdog;
  /** Bytes handed to the stream at once. */
  sendBytes: number;
  /** Undefined where there are no side streams: nobody could open one. */
  sides: OfferedSides | undefined;
  /** The source failed: the peer is told that the block is missing or the watch over. */
  onSourceError(error: unknown): void;
  onClosed(error: SharingError): void;
}

/** A request from its WANT until all of its answer is with the outlet. */
interface Answer {
  want: WantMessage;
  outlet: Outlet;
  reading: AbortController | undefined;
  block: Uint8Array | undefined;
  /** What the block was read into, for its next reader. */
  buffer: Uint8Array | undefined;
  sentBytes: number;
}

/** A request whose block is at hand. */
type ReadAnswer = Answer & { block: Uint8Array };

export class Serving implements WireHandler, Lane, Watched {
  readonly #parts: ServingParts;
  readonly #wire: () => Wire;
  readonly #outlets: Outlets;
  readonly #watches = new ServedWatches(() => this.#sendNews());
  /** Every open request, by priority and then age. */
  #answers: Answer[] = [];
  #heldBlocks = 0;
  #lastRequestId = -1;

  /** `wire` is called after the constructor returned, because a wire needs its handler first. */
  constructor(parts: ServingParts, wire: () => Wire) {
    this.#parts = parts;
    this.#wire = wire;
    this.#outlets = new Outlets({ ...parts, onSideWritable: () => this.#wake() }, wire);
    parts.watchdog.add(this);
  }

  onMessage(message: Message): void {
    switch (message.type) {
      case "want":
        this.#onWant(message);
        return;
      case "cancel":
        this.#onCancel(message.requestId);
        return;
      case "watch":
        this.#onWatch(message);
        return;
      case "unwatch":
        this.#watches.end(message.watchId);
        return;
      case "ticket_ask":
        this.#checkRoom();
        this.#outlets.offerSide();
        return;
      case "side_begin":
        this.#outlets.beginSide();
        return;
      case "side_end":
        this.#onSideEnd();
        return;
      default:
        throw new SharingError("protocol_error", `asker sent ${message.type}`);
    }
  }

  onData(): void {
    throw new SharingError("protocol_error", "asker sent DATA");
  }

  onWritable(): void {
    this.#outlets.stream.onWritable();
    this.#sendNews();
    this.#wake();
  }

  onClosed(error: SharingError): void {
    this.#parts.watchdog.remove(this);
    this.#parts.share.remove(this);
    for (const answer of this.#answers) {
      answer.reading?.abort(error);
      this.#letGo(answer);
    }
    this.#watches.stop();
    while (this.#heldBlocks > 0) this.#release();
    this.#answers = [];
    this.#outlets.close();
    this.#parts.onClosed(error);
  }

  onTick(awakeMs: number): void {
    const isStuck = this.#outlets.areStuck(awakeMs, (outlet) =>
      this.#answers.some((answer) => isRead(answer) && answer.outlet === outlet),
    );
    if (isStuck) this.#wire().fail(new SharingError("peer_lost", "the peer reads nothing"));
  }

  get isIdle(): boolean {
    return this.#openCount + this.#watches.size === 0;
  }

  /** Sends the next bytes of the most urgent blocks in one piece, of those that go the same way. */
  takeTurn(turnBytes: number): number {
    const sendable = this.#answers.filter(isRead).filter(({ outlet }) => outlet.isWritable);
    const outlet = sendable[0]?.outlet;
    if (outlet === undefined) return 0;
    const ready = sendable.filter((answer) => answer.outlet === outlet);
    const unsentBytes = ready.reduce((sum, { block, sentBytes }) => sum + block.length - sentBytes, 0);
    const roomBytes = Math.min(turnBytes, outlet.sendBytes, unsentBytes);
    const frames = new SendBuffer(roomBytes, ready.length);
    let payloadBytes = 0;
    for (const answer of ready) {
      const { block, sentBytes: start, want } = answer;
      const end = Math.min(block.length, start + roomBytes - payloadBytes);
      frames.append(want.requestId, block, start, end);
      answer.sentBytes = end;
      if (end === block.length) this.#drop(answer);
      payloadBytes += end - start;
      if (payloadBytes === roomBytes) break;
    }
    outlet.send(frames.bytes());
    this.#parts.traffic.uploaded(payloadBytes);
    this.#readOn();
    return Math.max(1, payloadBytes);
  }

  #onWant(want: WantMessage): void {
    if (want.requestId <= this.#lastRequestId)
      throw new SharingError("protocol_error", "request id used before");
    this.#lastRequestId = want.requestId;
    this.#checkRoom();
    const answer: Answer = {
      want,
      outlet: this.#outlets.current,
      reading: undefined,
      block: undefined,
      buffer: undefined,
      sentBytes: 0,
    };
    const place = this.#answers.findIndex((other) => other.want.priority < want.priority);
    this.#answers.splice(place === -1 ? this.#answers.length : place, 0, answer);
    this.#readOn();
  }

  #onCancel(requestId: number): void {
    if (requestId > this.#lastRequestId) throw new SharingError("protocol_error", "cancelled too early");
    const answer = this.#answers.find(({ want }) => want.requestId === requestId);
    if (answer === undefined) return;
    answer.reading?.abort(new SharingError("stopped", "the peer cancelled its request"));
    this.#drop(answer);
    answer.outlet.notify({ type: "cancelled", requestId });
    this.#readOn();
  }

  /** What was not answered on it is asked for again, if it is still wanted. */
  #onSideEnd(): void {
    const ended = this.#outlets.endSide();
    for (const answer of this.#answers.filter(({ outlet }) => outlet === ended)) {
      answer.reading?.abort(new SharingError("stopped", "the side stream ended"));
      this.#drop(answer);
    }
    this.#readOn();
  }

  #onWatch(message: WatchMessage): void {
    const fileId = cidOf(message).toString();
    this.#watches
      .begin(message, (signal) => this.#parts.source.haves(fileId, signal))
      .catch((error) => this.#parts.onSourceError(error));
  }

  /** Starts reading the most urgent blocks, as many as may be held. */
  #readOn(): void {
    for (const answer of this.#answers) {
      if (answer.reading !== undefined) continue;
      if (!this.#tryHold() && !this.#takeHoldOfLessUrgent(answer)) return;
      void this.#read(answer);
    }
  }

  #tryHold(): boolean {
    if (this.#heldBlocks >= READ_AHEAD_BLOCKS) return false;
    if (this.#heldBlocks > 0 && !this.#parts.readAhead.tryTake()) return false;
    this.#heldBlocks += 1;
    return true;
  }

  /** A block that was read ahead and not begun is put back for one that somebody waits for. */
  #takeHoldOfLessUrgent({ want }: Answer): boolean {
    const other = this.#answers.findLast(
      (held) => held.reading !== undefined && held.sentBytes === 0 && held.want.priority < want.priority,
    );
    if (other === undefined) return false;
    other.reading?.abort(new SharingError("stopped", "a more urgent block is read first"));
    other.reading = undefined;
    this.#letGo(other);
    return true;
  }

  #release(): void {
    this.#heldBlocks -= 1;
    if (this.#heldBlocks > 0) this.#parts.readAhead.giveBack();
  }

  async #read(answer: Answer): Promise<void> {
    const { source } = this.#parts;
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
      this.#parts.share.wake(this);
      return;
    }
    source.buffers.give(buffer);
    if (!isAborted) {
      this.#drop(answer);
      answer.outlet.notify({ type: "missing", requestId: answer.want.requestId });
      this.#readOn();
    }
  }

  /** Forgets a request, answered or not, and the block it held. */
  #drop(answer: Answer): void {
    this.#answers.splice(this.#answers.indexOf(answer), 1);
    this.#letGo(answer);
    if (answer.reading !== undefined) this.#release();
  }

  #letGo(answer: Answer): void {
    if (answer.buffer !== undefined) this.#parts.source.buffers.give(answer.buffer);
    answer.buffer = undefined;
    answer.block = undefined;
  }

  /** What the peer has asked for and not yet been given, or told of. */
  get #openCount(): number {
    return this.#answers.length + this.#outlets.waitingCount;
  }

  #checkRoom(): void {
    if (this.#openCount >= MAX_REQUESTS_PER_PEER) {
      throw new SharingError("protocol_error", "too many requests");
    }
  }

  #wake(): void {
    if (this.#answers.some(isRead)) this.#parts.share.wake(this);
  }

  #sendNews(): void {
    this.#outlets.stream.flush(() => this.#watches.takeFrames());
  }
}

function cidOf({ codec, digest }: { codec: number; digest: Uint8Array }): CID {
  return CID.createV1(codec, createDigest(sha256.code, digest));
}

function isRead(answer: Answer): answer is ReadAnswer {
  return answer.block !== undefined;
}
