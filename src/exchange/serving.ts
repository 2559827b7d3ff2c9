/**
 * Answers one peer: its requests in order of priority, its watches, and nothing that the source does not give.
 * Made by exchange for each stream a peer opens; reads blocks from the BlockSource a few ahead, sends when the fair
 * share gives it a turn and the stream takes bytes. Protocol: README.md.
 */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { Uint8ArrayList } from "uint8arraylist";
import { SharingError } from "../sharing/errors.ts";
import type { BlockSource } from "../sharing/ports.ts";
import type { FairShare, Lane } from "./fair-share.ts";
import { MAX_REQUESTS_PER_PEER, MAX_WATCHES_PER_PEER, READ_AHEAD_BLOCKS, SLOW_READER_MS } from "./limits.ts";
import { encodeMessage, type Message, type WantMessage, type WatchMessage } from "./messages.ts";
import type { ReadAhead } from "./read-ahead.ts";
import { SendBuffer } from "./send-buffer.ts";
import { ServedWatch } from "./served-watch.ts";
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
  /** The source failed: the peer is told that the block is missing or the watch over. */
  onSourceError(error: unknown): void;
  onClosed(error: SharingError): void;
}

/** A request from its WANT until all of its answer is with the stream. */
interface Answer {
  want: WantMessage;
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
  readonly #watches = new Map<number, ServedWatch>();
  /** Every open request, by priority and then age. */
  #answers: Answer[] = [];
  /** Small frames that wait for the stream; one a request or watch that ended. */
  #notices: Uint8Array[] = [];
  #heldBlocks = 0;
  #lastRequestId = -1;
  #lastWatchId = -1;
  #lastSentAtMs: number;

  /** `wire` is called after the constructor returned, because a wire needs its handler first. */
  constructor(parts: ServingParts, wire: () => Wire) {
    this.#parts = parts;
    this.#wire = wire;
    this.#lastSentAtMs = parts.watchdog.awakeMs;
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
        if (message.watchId > this.#lastWatchId)
          throw new SharingError("protocol_error", "unwatched too early");
        this.#watches.get(message.watchId)?.stop();
        return;
      default:
        throw new SharingError("protocol_error", `asker sent ${message.type}`);
    }
  }

  onData(): void {
    throw new SharingError("protocol_error", "asker sent DATA");
  }

  onWritable(): void {
    this.#lastSentAtMs = this.#parts.watchdog.awakeMs;
    this.#sendNotices();
    if (this.#answers.some(isRead)) this.#parts.share.wake(this);
  }

  onClosed(error: SharingError): void {
    this.#parts.watchdog.remove(this);
    this.#parts.share.remove(this);
    for (const answer of this.#answers) {
      answer.reading?.abort(error);
      this.#letGo(answer);
    }
    for (const watch of this.#watches.values()) watch.stop();
    while (this.#heldBlocks > 0) this.#release();
    this.#answers = [];
    this.#notices = [];
    this.#parts.onClosed(error);
  }

  onTick(awakeMs: number): void {
    const hasToSend = this.#notices.length > 0 || this.#answers.some(isRead);
    if (this.#wire().isWritable || !hasToSend) this.#lastSentAtMs = awakeMs;
    else if (awakeMs - this.#lastSentAtMs >= SLOW_READER_MS) {
      this.#wire().fail(new SharingError("peer_lost", "the peer reads nothing"));
    }
  }

  get isIdle(): boolean {
    return this.#answers.length + this.#notices.length + this.#watches.size === 0;
  }

  /** Sends the next bytes of the most urgent blocks in one piece. */
  takeTurn(turnBytes: number): number {
    const wire = this.#wire();
    if (!wire.isWritable) return 0;
    const ready = this.#answers.filter(isRead);
    if (ready.length === 0) return 0;
    const unsentBytes = ready.reduce((sum, { block, sentBytes }) => sum + block.length - sentBytes, 0);
    const roomBytes = Math.min(turnBytes, this.#parts.sendBytes, unsentBytes);
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
    wire.send(frames.bytes());
    this.#parts.traffic.uploaded(payloadBytes);
    this.#readOn();
    return Math.max(1, payloadBytes);
  }

  #onWant(want: WantMessage): void {
    if (want.requestId <= this.#lastRequestId)
      throw new SharingError("protocol_error", "request id used before");
    this.#lastRequestId = want.requestId;
    if (this.#answers.length + this.#notices.length >= MAX_REQUESTS_PER_PEER) {
      throw new SharingError("protocol_error", "too many requests");
    }
    const answer = { want, reading: undefined, block: undefined, buffer: undefined, sentBytes: 0 };
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
    this.#notify({ type: "cancelled", requestId });
    this.#readOn();
  }

  #onWatch(message: WatchMessage): void {
    const { watchId, chunkCount } = message;
    if (watchId <= this.#lastWatchId) throw new SharingError("protocol_error", "watch id used before");
    this.#lastWatchId = watchId;
    if (this.#watches.size >= MAX_WATCHES_PER_PEER)
      throw new SharingError("protocol_error", "too many watches");
    const watch = new ServedWatch(watchId, chunkCount, () => this.#sendNotices());
    this.#watches.set(watchId, watch);
    const fileId = cidOf(message).toString();
    watch
      .follow(this.#parts.source.haves(fileId, watch.signal))
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
      this.#notify({ type: "missing", requestId: answer.want.requestId });
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

  #notify(message: Message): void {
    this.#notices.push(encodeMessage(message));
    this.#sendNotices();
  }

  #sendNotices(): void {
    const wire = this.#wire();
    if (!wire.isWritable) return;
    const frames = this.#notices;
    this.#notices = [];
    for (const watch of this.#watches.values()) {
      frames.push(...watch.takeFrames());
      if (watch.hasEnded) this.#watches.delete(watch.watchId);
    }
    if (frames.length > 0) wire.send(new Uint8ArrayList(...frames));
  }
}

function cidOf({ codec, digest }: { codec: number; digest: Uint8Array }): CID {
  return CID.createV1(codec, createDigest(sha256.code, digest));
}

function isRead(answer: Answer): answer is ReadAnswer {
  return answer.block !== undefined;
}
