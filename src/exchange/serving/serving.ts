/**
 * Answers one peer: its requests in order of priority, its watches, and nothing that the source does not give.
 * Made by exchange for each stream a peer opens; sends what its answers have read when the fair share gives it a turn
 * and the stream, or the side stream, takes bytes. Protocol: README.md.
 */
import { SharingError } from "../../sharing/errors.ts";
import { blockKey } from "../../sharing/hash.ts";
import type { BlockSource, Clock, Priority } from "../../sharing/ports.ts";
import { MAX_REQUESTS_PER_PEER, SHORT_BYTES, SIGN_BYTES, SIGN_EVERY_MS } from "../limits.ts";
import type { PostPath } from "../post-path.ts";
import type { FairShare, Lane } from "../rates/fair-share.ts";
import type { Pacing } from "../rates/pacing.ts";
import type { PeerTraffic } from "../rates/traffic.ts";
import type { Watchdog, Watched } from "../watchdog.ts";
import type { Message, WantMessage, WatchMessage } from "../wire/messages.ts";
import type { Wire, WireHandler } from "../wire/wire.ts";
import { type Answer, Answers, cidOf, type ReadAnswer } from "./answers.ts";
import { AskedLately } from "./asked-lately.ts";
import type { GivenBlocks } from "./given-blocks.ts";
import type { HeldBlocks } from "./held-blocks.ts";
import { NewsLane } from "./news-lane.ts";
import type { OfferedSides } from "./offered-sides.ts";
import { Outlets } from "./outlets.ts";
import { Posting } from "./posting.ts";
import { SendBuffer } from "./send-buffer.ts";
import type { PlaceHolder } from "./served-places.ts";
import { ServedWatches } from "./served-watches.ts";

export interface ServingParts {
  source: BlockSource;
  clock: Clock;
  /** From where the peer comes. */
  host: string;
  share: FairShare;
  /** Of what the peer's host asks. */
  pacing: Pacing;
  /** Of the peer. */
  held: HeldBlocks;
  given: GivenBlocks;
  traffic: PeerTraffic;
  watchdog: Watchdog;
  /** Bytes handed to the stream at once. */
  sendBytes: number;
  /** Undefined where there are no side streams: nobody could open one. */
  sides: OfferedSides | undefined;
  /** Undefined where it does not lead to the peer. */
  postPath: PostPath | undefined;
  onPostLost(reason: unknown): void;
  /** The source failed: the peer is told that the block is missing or the watch over. */
  onSourceError(error: unknown): void;
  onClosed(error: SharingError): void;
}

export class Serving implements WireHandler, Lane, Watched, PlaceHolder {
  readonly #parts: ServingParts;
  readonly #wire: () => Wire;
  readonly #outlets: Outlets;
  readonly #watches = new ServedWatches(() => this.#news.wake());
  readonly #news: NewsLane;
  readonly #answers: Answers;
  readonly #posting: Posting | undefined;
  readonly #asked = new AskedLately();
  #lastRequestId = -1;
  #lastWantMs = 0;
  /** Of answers, by the watchdog. */
  #lastSentMs = 0;
  readonly #beganMs: number;
  /** Of blocks. */
  sentBytes = 0;

  /** `wire` is called after the constructor returned, because a wire needs its handler first. */
  constructor(parts: ServingParts, wire: () => Wire) {
    this.#parts = parts;
    this.#wire = wire;
    this.#beganMs = parts.watchdog.awakeMs;
    this.#answers = new Answers({ ...parts, onNext: () => this.#wake() });
    this.#outlets = new Outlets({ ...parts, onSideWritable: () => this.#wake() }, wire);
    this.#news = new NewsLane(parts.host, parts.share, this.#outlets.stream, this.#watches);
    const { postPath: path, given, traffic, onPostLost: onLost } = parts;
    this.#posting =
      path &&
      new Posting({
        path,
        given,
        traffic,
        isRateLimited: () => parts.share.isLimited,
        notify: (message) => this.#outlets.stream.notify(message),
        onUnposted: (want) => this.#answers.add(want, this.#outlets.stream),
        onLost,
      });
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
      case "priority":
        this.#onPriority(message.requestId, message.priority);
        return;
      case "watch":
        this.#onWatch(message);
        return;
      case "unwatch":
        this.#watches.end(message.watchId);
        return;
      case "ticket_ask":
        this.#outlets.offerSide();
        return;
      case "side_begin":
        this.#outlets.beginSide();
        return;
      case "side_end":
        this.#onSideEnd();
        return;
      case "post_ticket":
        this.#onPostTicket(message.ticket);
        return;
      default:
        throw new SharingError("protocol_error", `asker sent ${message.type}`);
    }
  }

  onData(): void {
    throw new SharingError("protocol_error", "asker sent DATA");
  }

  onRead(bytes: number): void {
    this.#parts.pacing.brought(bytes, this.#wire());
  }

  onWritable(): void {
    this.#outlets.stream.onWritable();
    this.#news.wake();
    this.#wake();
  }

  onClosed(error: SharingError): void {
    this.#parts.watchdog.remove(this);
    this.#parts.share.remove(this);
    this.#answers.close(error);
    this.#watches.stop();
    this.#parts.share.remove(this.#news);
    this.#outlets.close();
    this.#posting?.close();
    this.#parts.onClosed(error);
  }

  /** Ends the conversation. */
  end(error: SharingError): void {
    this.#wire().fail(error);
  }

  onTick(awakeMs: number): void {
    this.#answers.onTick();
    const isStuck = this.#outlets.areStuck(awakeMs, (outlet) =>
      this.#answers.read.some((answer) => answer.outlet === outlet),
    );
    if (isStuck) this.end(new SharingError("peer_lost", "the peer reads nothing"));
    else if (awakeMs - this.#lastSentMs >= SIGN_EVERY_MS) this.#giveSign();
  }

  get host(): string {
    return this.#parts.host;
  }

  get isAsking(): boolean {
    return this.#openCount > 0;
  }

  get outlastsItsEnd(): boolean {
    return this.#answers.isReading;
  }

  get lastWantMs(): number {
    return this.#lastWantMs;
  }

  get letsWait(): boolean {
    return this.#outlets.letWait;
  }

  get servedMs(): number {
    return this.#parts.watchdog.awakeMs - this.#beganMs;
  }

  /** Its next answer is. */
  get isShort(): boolean {
    const [next] = this.#sendable;
    return next !== undefined && next.block.length <= SHORT_BYTES;
  }

  /** Sends the next bytes of the most urgent blocks in one piece, of those that go the same way. */
  takeTurn(turnBytes: number): number {
    const sendable = this.#sendable;
    const outlet = sendable[0]?.outlet;
    if (outlet === undefined) return 0;
    const ready = sendable.filter((answer) => answer.outlet === outlet);
    const unsentBytes = ready.reduce((sum, { block, sentBytes }) => sum + block.length - sentBytes, 0);
    const roomBytes = Math.min(turnBytes, outlet.sendBytes, unsentBytes);
    const frames = new SendBuffer(roomBytes, ready.length, outlet.memory);
    let payloadBytes = 0;
    for (const answer of ready) {
      const { block, sentBytes: start, want } = answer;
      const end = Math.min(block.length, start + roomBytes - payloadBytes);
      frames.append(want.requestId, block, start, end);
      if (start === 0) this.#answers.begin(answer);
      answer.sentBytes = end;
      if (end === block.length) this.#answers.drop(answer);
      payloadBytes += end - start;
      if (payloadBytes === roomBytes) break;
    }
    outlet.send(frames.bytes());
    this.#lastSentMs = this.#parts.watchdog.awakeMs;
    this.#parts.traffic.uploaded(payloadBytes);
    this.sentBytes += payloadBytes;
    this.#answers.readOn();
    return Math.max(1, payloadBytes);
  }

  /** Those that can be sent now, the next first. */
  get #sendable(): ReadAnswer[] {
    return this.#answers.read.filter(({ outlet }) => outlet.isWritable);
  }

  #onWant(want: WantMessage): void {
    if (want.requestId <= this.#lastRequestId)
      throw new SharingError("protocol_error", "request id used before");
    this.#lastRequestId = want.requestId;
    this.#lastWantMs = this.#parts.clock.monotonic();
    this.#checkRoom();
    const cid = cidOf(want);
    if (this.#asked.ask(blockKey(cid))) this.#parts.source.doubt(cid);
    if (this.#isPosted(want)) this.#posting?.add(want);
    else this.#answers.add(want, this.#outlets.current);
  }

  #onCancel(requestId: number): void {
    this.#checkAsked(requestId);
    const isMeant = ({ want }: Answer) => want.requestId === requestId;
    const [answer] = this.#answers.withdraw(isMeant, "the peer cancelled its request");
    const outlet = this.#posting?.cancel(requestId) ? this.#outlets.stream : answer?.outlet;
    outlet?.notify({ type: "cancelled", requestId });
  }

  #onPriority(requestId: number, priority: Priority): void {
    this.#checkAsked(requestId);
    this.#posting?.prioritize(requestId, priority);
    this.#answers.prioritize(requestId, priority);
  }

  #checkAsked(requestId: number): void {
    if (requestId > this.#lastRequestId)
      throw new SharingError("protocol_error", "of a request not yet made");
  }

  #isPosted(want: WantMessage): boolean {
    return this.#posting?.takes(want) === true && this.#parts.source.shares(cidOf(want));
  }

  #onPostTicket(ticket: Uint8Array): void {
    if (this.#posting === undefined) {
      throw new SharingError("protocol_error", "a ticket that nobody asked for");
    }
    this.#posting.onTicket(ticket);
  }

  /** What was not answered on it is asked for again, if it is still wanted. */
  #onSideEnd(): void {
    const ended = this.#outlets.endSide();
    this.#answers.withdraw(({ outlet }) => outlet === ended, "the side stream ended");
  }

  #onWatch(message: WatchMessage): void {
    const { watchId, chunkCount } = message;
    const fileId = cidOf(message).toString();
    this.#watches
      .begin({ watchId, fileId, chunkCount }, (signal) =>
        this.#parts.source.haves(fileId, chunkCount, signal),
      )
      .catch((error) => this.#parts.onSourceError(error));
  }

  /** What the peer has asked for and not yet been given, or told of. */
  get #openCount(): number {
    return this.#answers.count + this.#outlets.waitingCount + (this.#posting?.count ?? 0);
  }

  #checkRoom(): void {
    if (this.#openCount >= MAX_REQUESTS_PER_PEER) {
      throw new SharingError("protocol_error", "too many requests");
    }
  }

  /** A peer whose turn has not come would take a silent server for gone. */
  #giveSign(): void {
    this.#parts.share.charge(this.takeTurn(SIGN_BYTES));
  }

  #wake(): void {
    if (this.#answers.read.length > 0) this.#parts.share.wake(this);
  }
}
