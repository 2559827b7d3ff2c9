/**
 * Asks one peer: sends its requests as slots and the download rate allow, and checks that every answer, on the stream or on a
 * side stream, was asked for. Made by sessions, which shares it among its users; calls wire. Protocol: README.md.
 */
import type { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { SharingError } from "../../sharing/errors.ts";
import type { BlockRequest, Priority } from "../../sharing/ports.ts";
import {
  DOUBT_MS,
  IN_FLIGHT_BULK,
  IN_FLIGHT_SMALL,
  MAX_BLOCK_BYTES,
  SIDE_STALL_MS,
  STALL_MS,
} from "../limits.ts";
import type { FairShare, Lane } from "../rates/fair-share.ts";
import type { Pacing } from "../rates/pacing.ts";
import type { PeerTraffic } from "../rates/traffic.ts";
import type { SideWay } from "../side-path.ts";
import type { Watchdog, Watched } from "../watchdog.ts";
import { encodeMessage, type Message } from "../wire/messages.ts";
import type { Wire, WireHandler } from "../wire/wire.ts";
import { AskedBlock } from "./asked-block.ts";
import { AskedPosts } from "./asked-posts.ts";
import { AskedSides } from "./asked-sides.ts";
import type { AskedWatch } from "./asked-watch.ts";
import { AskedWatches } from "./asked-watches.ts";
import type { ExpectedPosts, PostTaker } from "./expected-posts.ts";
import { HeldWants } from "./held-wants.ts";

export interface AskingParts {
  maxInFlight: number;
  share: FairShare;
  /** Undefined where the stream can't be held back. */
  pacing: Pacing | undefined;
  traffic: PeerTraffic;
  watchdog: Watchdog;
  /** Undefined where there is none. */
  sideWay: SideWay | undefined;
  onSideLost(reason: unknown): void;
  /** Nothing has come for long that is due: the connection may be dead. */
  onSilence(): void;
  /** Undefined where peers can't come with what they post. */
  posts: ExpectedPosts | undefined;
  onClosed(error: SharingError): void;
}

export class Asking implements WireHandler, PostTaker, Lane, Watched {
  readonly #parts: AskingParts;
  readonly #wire: () => Wire;
  /** Not yet sent, by priority and then age. */
  #waiting: AskedBlock[] = [];
  readonly #inFlight = new Map<number, AskedBlock>();
  readonly #held = new HeldWants((want) => this.#wire().queue(encodeMessage(want)));
  readonly #watches: AskedWatches;
  readonly #sides: AskedSides;
  readonly #posts: AskedPosts;
  #nextRequestId = 0;
  #lastProgressMs = 0;
  /** Since then nothing has come, and that was told. */
  #silentSinceMs: number | undefined;
  #closedBy: SharingError | undefined;
  /** Of the longest file that was watched. */
  #expectedBytes = 0;
  receivedBytes = 0;

  /** `wire` is called after the constructor returned, because a wire needs its handler first. */
  constructor(parts: AskingParts, wire: () => Wire) {
    this.#parts = parts;
    this.#wire = wire;
    const send = (message: Message) => this.#send(message);
    this.#watches = new AskedWatches(send);
    const { posts, sideWay: way, share, watchdog, onSideLost: onLost } = parts;
    const onEnd = () => this.#askAgain(({ isAside }) => isAside);
    this.#sides = new AskedSides({ way, share, watchdog, handler: this, send, onEnd, onLost });
    this.#posts = new AskedPosts({ posts, taker: this, send });
    watchdog.add(this);
  }

  get maxInFlight(): number {
    return this.#parts.maxInFlight;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  /** Undefined while the conversation is open. */
  get closedBy(): SharingError | undefined {
    return this.#closedBy;
  }

  fetch(request: BlockRequest): Promise<Uint8Array> {
    const { cid, signal } = request;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    if (cid.multihash.code !== sha256.code) {
      return Promise.reject(
        new SharingError("bad_request", "only blocks named by sha2-256 can be asked for"),
      );
    }
    const block = new AskedBlock(request, () => this.#cancel(block));
    this.#askForSide();
    this.#wait([...this.#waiting, block]);
    this.#parts.share.wake(this);
    return block.answer;
  }

  prioritize(cid: CID, priority: Priority): void {
    const isMeant = (block: AskedBlock) => block.priority !== priority && block.request.cid.equals(cid);
    for (const block of this.#waiting.filter(isMeant)) block.priority = priority;
    this.#wait(this.#waiting);
    for (const [requestId, block] of this.#inFlight) {
      if (!isMeant(block) || block.isCancelled) continue;
      block.priority = priority;
      this.#send({ type: "priority", requestId, priority });
    }
  }

  /** To be called while the conversation is open. */
  watch(fileId: CID, chunkCount: number): AskedWatch {
    const watch = this.#watches.begin(fileId, chunkCount);
    this.#expectedBytes = Math.max(this.#expectedBytes, chunkCount * MAX_BLOCK_BYTES);
    this.#askForSide();
    return watch;
  }

  /** Sends the most urgent request; its cost is the most it may bring, and the rest is given back later. */
  takeTurn(): number {
    if (this.#inFlight.size === 0) this.#sides.leaveUnderLimit();
    const { isOpen: isAside } = this.#sides;
    const maxInFlight = isAside ? IN_FLIGHT_BULK : this.#parts.maxInFlight;
    const block = this.#inFlight.size < maxInFlight ? this.#waiting.shift() : undefined;
    if (block === undefined) return 0;
    block.isAside = isAside;
    if (this.#inFlight.size === 0) this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    const requestId = this.#nextRequestId;
    this.#nextRequestId += 1;
    this.#inFlight.set(requestId, block);
    const { maxBytes, priority, request } = block;
    const { code: codec, multihash } = request.cid;
    const { digest } = multihash;
    this.#held.add({ type: "want", requestId, priority, maxBytes, codec, digest }, this.#inFlight.size);
    return Math.max(1, maxBytes);
  }

  onMessage(message: Message): void {
    switch (message.type) {
      case "block":
        this.#onBlock(message.requestId, message.sizeBytes);
        return;
      case "missing":
        this.#onMissing(message.requestId);
        return;
      case "cancelled":
        if (!this.#expect(message.requestId).isCancelled) {
          throw new SharingError("protocol_error", "a request that stands was taken as cancelled");
        }
        this.#settle(message.requestId);
        return;
      case "have_all":
      case "have_none":
      case "have_field":
      case "have_runs":
        this.#watches.take(message);
        return;
      case "watch_end":
        this.#watches.end(message.watchId);
        return;
      case "ticket":
        this.#sides.onTicket(message.ticket);
        return;
      case "post_ask":
        this.#posts.onAsk();
        return;
      case "unposted":
        this.#onUnposted(message.requestId);
        return;
      default:
        throw new SharingError("protocol_error", `server sent ${message.type}`);
    }
  }

  onPostLost(requestId: number): void {
    const block = this.#inFlight.get(requestId);
    if (block === undefined) return;
    // What came is paid for, though the same bytes come again.
    this.#parts.share.refund(-block.receivedBytes);
    block.startAgain();
  }

  onData(requestId: number, bytes: Uint8Array): void {
    const block = this.#expect(requestId);
    block.take(bytes);
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    if (!block.isCancelled) {
      this.receivedBytes += bytes.length;
      this.#parts.traffic.downloaded(bytes.length);
    }
    if (block.isWhole) this.#finish(requestId, block);
  }

  /** What was asked for before there was a limit is let come: unread, it would be more than the stream keeps. */
  onRead(bytes: number): void {
    if (this.#inFlight.size <= IN_FLIGHT_SMALL) this.#parts.pacing?.brought(bytes, this.#wire());
  }

  onWritable(): void {}

  onClosed(error: SharingError): void {
    this.#closedBy = error;
    this.#sides.close();
    this.#posts.close();
    this.#parts.watchdog.remove(this);
    this.#parts.share.remove(this);
    const blocks = [...this.#inFlight.values(), ...this.#waiting];
    for (const block of this.#inFlight.values()) this.#refund(block);
    this.#inFlight.clear();
    this.#waiting = [];
    for (const block of blocks) block.reject(error);
    this.#watches.endAll();
    this.#parts.onClosed(error);
  }

  onTick(awakeMs: number): void {
    this.#sides.onTick(awakeMs);
    const silentMs = this.#inFlight.size === 0 ? 0 : awakeMs - this.#lastProgressMs;
    if (silentMs >= DOUBT_MS) this.#tellSilence();
    if (silentMs >= STALL_MS) {
      this.#wire().fail(new SharingError("peer_lost", "the peer sent nothing for too long"));
    } else if (silentMs >= SIDE_STALL_MS && [...this.#inFlight.values()].some(({ isAside }) => isAside)) {
      this.#sides.giveUp(new SharingError("peer_lost", "the side stream brought nothing for too long"));
    }
  }

  /** Of each silence once. */
  #tellSilence(): void {
    if (this.#silentSinceMs === this.#lastProgressMs) return;
    this.#silentSinceMs = this.#lastProgressMs;
    this.#parts.onSilence();
  }

  #askForSide(): void {
    this.#sides.ask(Math.max(this.receivedBytes, this.#expectedBytes));
  }

  /** All of it may have come, too. */
  #onUnposted(lostId: number): void {
    this.#posts.onLost();
    if (lostId >= this.#nextRequestId)
      throw new SharingError("protocol_error", "lost before it was asked for");
    this.#askAgain((_, requestId) => requestId === lostId);
  }

  /** What was lost on its way waits for its turn again. */
  #askAgain(isLost: (block: AskedBlock, requestId: number) => boolean): void {
    const lost = [...this.#inFlight].filter(([requestId, block]) => isLost(block, requestId));
    for (const [requestId, block] of lost) {
      this.#inFlight.delete(requestId);
      this.#refund(block);
      block.startAgain();
    }
    const wanted = lost.map(([, block]) => block).filter(({ isCancelled }) => !isCancelled);
    this.#wait([...wanted, ...this.#waiting]);
    this.#goOn();
  }

  /** Of equals the oldest stay first. */
  #wait(blocks: AskedBlock[]): void {
    this.#waiting = blocks.sort((a, b) => b.priority - a.priority);
  }

  #onBlock(requestId: number, sizeBytes: number): void {
    const block = this.#expect(requestId);
    block.begin(sizeBytes);
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    if (block.isWhole) this.#finish(requestId, block);
  }

  #onMissing(requestId: number): void {
    const block = this.#expect(requestId);
    if (block.hasBegun) throw new SharingError("protocol_error", "missing after it began");
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    block.reject(new SharingError("block_not_found", `the peer does not hold ${block.request.cid}`));
    this.#settle(requestId);
  }

  #finish(requestId: number, block: AskedBlock): void {
    block.resolve();
    this.#posts.onWhole();
    this.#settle(requestId);
  }

  /** The request's slot is free again, and so is what it did not use of the rate. */
  #settle(requestId: number): void {
    const block = this.#expect(requestId);
    this.#inFlight.delete(requestId);
    this.#refund(block);
    this.#goOn();
  }

  /** Fewer answers are under way. */
  #goOn(): void {
    this.#parts.share.wake(this);
    this.#held.tend(this.#inFlight.size);
  }

  #refund({ maxBytes, receivedBytes }: AskedBlock): void {
    this.#parts.share.refund(maxBytes - receivedBytes);
  }

  #cancel(block: AskedBlock): void {
    const place = this.#waiting.indexOf(block);
    if (place !== -1) {
      this.#waiting.splice(place, 1);
      return;
    }
    for (const [requestId, other] of this.#inFlight) {
      if (other === block) this.#send({ type: "cancel", requestId });
    }
  }

  #expect(requestId: number): AskedBlock {
    const block = this.#inFlight.get(requestId);
    if (block === undefined) throw new SharingError("protocol_error", "an answer that nobody asked for");
    return block;
  }

  #send(message: Message): void {
    this.#held.release();
    this.#wire().queue(encodeMessage(message));
  }
}
