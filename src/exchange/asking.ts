/**
 * Asks one peer: sends its requests as slots and the download rate allow, assembles each block in one buffer of the
 * length the answer tells, and checks that every answer was asked for. Made by sessions, which shares it among its
 * users; calls wire. Protocol: README.md.
 */
import type { CID } from "multiformats/cid";
import { sha256 } from "multiformats/hashes/sha2";
import { SharingError } from "../sharing/errors.ts";
import type { BlockRequest } from "../sharing/ports.ts";
import { AskedWatch } from "./asked-watch.ts";
import type { FairShare, Lane } from "./fair-share.ts";
import { MAX_BLOCK_BYTES, MAX_WAITING_FETCHES, MAX_WATCHES_PER_PEER, STALL_MS } from "./limits.ts";
import { encodeMessage, type Message } from "./messages.ts";
import type { PeerTraffic } from "./traffic.ts";
import type { Watchdog, Watched } from "./watchdog.ts";
import type { Wire, WireHandler } from "./wire.ts";

export interface AskingParts {
  maxInFlight: number;
  share: FairShare;
  traffic: PeerTraffic;
  watchdog: Watchdog;
  onClosed(error: SharingError): void;
}

/** A fetch, from the call until its answer is whole or the peer said that nothing more comes. */
interface Fetch {
  cid: CID;
  priority: 0 | 1 | 2;
  maxBytes: number;
  into: Uint8Array | undefined;
  /** Undefined until the answer begins. */
  sizeBytes: number | undefined;
  block: Uint8Array;
  receivedBytes: number;
  /** The caller left; what still comes is thrown away. */
  isCancelled: boolean;
  resolve(block: Uint8Array): void;
  reject(reason: unknown): void;
}

const NO_BYTES = new Uint8Array(0);

export class Asking implements WireHandler, Lane, Watched {
  readonly #parts: AskingParts;
  readonly #wire: () => Wire;
  /** Not yet sent, by priority and then age. */
  #waiting: Fetch[] = [];
  readonly #inFlight = new Map<number, Fetch>();
  readonly #watches = new Map<number, AskedWatch>();
  #nextRequestId = 0;
  #nextWatchId = 0;
  #lastProgressMs = 0;
  #closedBy: SharingError | undefined;
  receivedBytes = 0;

  /** `wire` is called after the constructor returned, because a wire needs its handler first. */
  constructor(parts: AskingParts, wire: () => Wire) {
    this.#parts = parts;
    this.#wire = wire;
    parts.watchdog.add(this);
  }

  get maxInFlight(): number {
    return this.#parts.maxInFlight;
  }

  get isClosed(): boolean {
    return this.#closedBy !== undefined;
  }

  fetch(request: BlockRequest): Promise<Uint8Array> {
    const { cid, priority, signal } = request;
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#closedBy !== undefined) return Promise.reject(this.#closedBy);
    if (cid.multihash.code !== sha256.code) {
      return Promise.reject(
        new SharingError("bad_request", "only blocks named by sha2-256 can be asked for"),
      );
    }
    if (this.#waiting.length >= MAX_WAITING_FETCHES) {
      return Promise.reject(new SharingError("wrong_state", "too many fetches wait for this peer"));
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#cancel(fetch, signal.reason);
      const fetch: Fetch = {
        cid,
        priority,
        maxBytes: Math.min(request.maxBytes, MAX_BLOCK_BYTES),
        into: request.into,
        sizeBytes: undefined,
        block: NO_BYTES,
        receivedBytes: 0,
        isCancelled: false,
        resolve: (block) => {
          signal.removeEventListener("abort", onAbort);
          resolve(block);
        },
        reject: (reason) => {
          signal.removeEventListener("abort", onAbort);
          reject(reason);
        },
      };
      signal.addEventListener("abort", onAbort);
      const place = this.#waiting.findIndex((other) => other.priority < priority);
      this.#waiting.splice(place === -1 ? this.#waiting.length : place, 0, fetch);
      this.#parts.share.wake(this);
    });
  }

  /** @throws SharingError `wrong_state` (too many), and what closed the conversation */
  watch(fileId: CID, chunkCount: number): AskedWatch {
    if (this.#closedBy !== undefined) throw this.#closedBy;
    if (this.#watches.size >= MAX_WATCHES_PER_PEER) {
      throw new SharingError("wrong_state", "too many files are watched at this peer");
    }
    const watchId = this.#nextWatchId;
    this.#nextWatchId += 1;
    const watch = new AskedWatch(chunkCount, () =>
      this.#wire().queue(encodeMessage({ type: "unwatch", watchId })),
    );
    this.#watches.set(watchId, watch);
    const { code: codec, multihash } = fileId;
    this.#wire().queue(
      encodeMessage({ type: "watch", watchId, chunkCount, codec, digest: multihash.digest }),
    );
    return watch;
  }

  /** Sends the most urgent request; its cost is the most it may bring, and the rest is given back later. */
  takeTurn(): number {
    const fetch = this.#inFlight.size < this.#parts.maxInFlight ? this.#waiting.shift() : undefined;
    if (fetch === undefined) return 0;
    if (this.#inFlight.size === 0) this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    const requestId = this.#nextRequestId;
    this.#nextRequestId += 1;
    this.#inFlight.set(requestId, fetch);
    const { cid, priority, maxBytes } = fetch;
    const { code: codec, multihash } = cid;
    this.#wire().queue(
      encodeMessage({ type: "want", requestId, priority, maxBytes, codec, digest: multihash.digest }),
    );
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
        this.#expectWatch(message.watchId).take(message);
        return;
      case "watch_end":
        this.#expectWatch(message.watchId).end();
        this.#watches.delete(message.watchId);
        return;
      default:
        throw new SharingError("protocol_error", `server sent ${message.type}`);
    }
  }

  onData(requestId: number, bytes: Uint8Array): void {
    const fetch = this.#expect(requestId);
    const { sizeBytes, receivedBytes } = fetch;
    if (sizeBytes === undefined || receivedBytes + bytes.length > sizeBytes) {
      throw new SharingError("protocol_error", "more bytes than the answer told");
    }
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    fetch.receivedBytes += bytes.length;
    if (!fetch.isCancelled) {
      fetch.block.set(bytes, receivedBytes);
      this.receivedBytes += bytes.length;
      this.#parts.traffic.downloaded(bytes.length);
    }
    if (fetch.receivedBytes === sizeBytes) this.#finish(requestId, fetch);
  }

  onWritable(): void {}

  onClosed(error: SharingError): void {
    this.#closedBy = error;
    this.#parts.watchdog.remove(this);
    this.#parts.share.remove(this);
    const fetches = [...this.#inFlight.values(), ...this.#waiting];
    for (const fetch of this.#inFlight.values())
      this.#parts.share.refund(fetch.maxBytes - fetch.receivedBytes);
    this.#inFlight.clear();
    this.#waiting = [];
    for (const fetch of fetches) fetch.reject(error);
    for (const watch of this.#watches.values()) watch.end();
    this.#watches.clear();
    this.#parts.onClosed(error);
  }

  onTick(awakeMs: number): void {
    if (this.#inFlight.size > 0 && awakeMs - this.#lastProgressMs >= STALL_MS) {
      this.#wire().fail(new SharingError("peer_lost", "the peer sent nothing for too long"));
    }
  }

  #onBlock(requestId: number, sizeBytes: number): void {
    const fetch = this.#expect(requestId);
    if (fetch.sizeBytes !== undefined) throw new SharingError("protocol_error", "answered twice");
    if (sizeBytes > fetch.maxBytes) throw new SharingError("protocol_error", "longer than was asked for");
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    fetch.sizeBytes = sizeBytes;
    if (sizeBytes === 0) this.#finish(requestId, fetch);
    else if (!fetch.isCancelled)
      fetch.block = fetch.into?.subarray(0, sizeBytes) ?? new Uint8Array(sizeBytes);
  }

  #onMissing(requestId: number): void {
    const fetch = this.#expect(requestId);
    if (fetch.sizeBytes !== undefined) throw new SharingError("protocol_error", "missing after it began");
    this.#lastProgressMs = this.#parts.watchdog.awakeMs;
    fetch.reject(new SharingError("block_not_found", `the peer does not hold ${fetch.cid}`));
    this.#settle(requestId);
  }

  #finish(requestId: number, fetch: Fetch): void {
    fetch.resolve(fetch.block);
    this.#settle(requestId);
  }

  /** The request's slot is free again, and so is what it did not use of the rate. */
  #settle(requestId: number): void {
    const fetch = this.#expect(requestId);
    this.#inFlight.delete(requestId);
    this.#parts.share.refund(fetch.maxBytes - fetch.receivedBytes);
    this.#parts.share.wake(this);
  }

  #cancel(fetch: Fetch, reason: unknown): void {
    fetch.reject(reason);
    const place = this.#waiting.indexOf(fetch);
    if (place !== -1) {
      this.#waiting.splice(place, 1);
      return;
    }
    fetch.isCancelled = true;
    fetch.block = NO_BYTES;
    for (const [requestId, other] of this.#inFlight) {
      if (other === fetch) this.#wire().queue(encodeMessage({ type: "cancel", requestId }));
    }
  }

  #expect(requestId: number): Fetch {
    const fetch = this.#inFlight.get(requestId);
    if (fetch === undefined) throw new SharingError("protocol_error", "an answer that nobody asked for");
    return fetch;
  }

  #expectWatch(watchId: number): AskedWatch {
    const watch = this.#watches.get(watchId);
    if (watch === undefined) throw new SharingError("protocol_error", "news that nobody asked for");
    return watch;
  }
}
