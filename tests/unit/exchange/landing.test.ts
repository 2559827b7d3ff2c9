/**
 * Chunks on their way in from a peer that answers by any of its ways as it likes: cut and begun again, twice, too long,
 * too short, after it was cancelled. Whatever comes, the store is given what a chunk's name says, or refuses it, and no
 * buffer is written to once another may have it.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { Asking } from "../../../src/exchange/asking/asking.ts";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import { FairShare } from "../../../src/exchange/rates/fair-share.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { encodeDataHeader, encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import type { Wire } from "../../../src/exchange/wire/wire.ts";
import { startSha256, verifyBlockNow } from "../../../src/headless/blocks/verify-now.ts";
import type { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { Inbox } from "../../../src/sharing/download/inbox.ts";
import { RequestBudget } from "../../../src/sharing/download/request-budget.ts";
import { type TransferEvent, TransferWork } from "../../../src/sharing/download/transfer-work.ts";
import { isSharingError, SharingError } from "../../../src/sharing/errors.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { PutOptions } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns } from "../sharing/silent-session.ts";
import { makeBlocks } from "./loopback.ts";

const CHUNK = 8;
const SPARE = 0xee;
const never = new AbortController().signal;
const blocks = await makeBlocks(3, CHUNK);
/** The last is equal to the first. */
const chunks = [...blocks, blocks[0] as (typeof blocks)[0]];

/** What nobody has is marked, so that a late write shows. */
class WatchedBuffers extends ChunkBuffers {
  readonly spare = new Set<Uint8Array>();

  constructor() {
    super(() => new Uint8Array(CHUNK));
  }

  override take(): Uint8Array {
    const buffer = super.take();
    this.expectUntouched();
    this.spare.delete(buffer);
    return buffer;
  }

  override give(buffer: Uint8Array): void {
    expect(this.spare.has(buffer)).toBe(false);
    buffer.fill(SPARE);
    this.spare.add(buffer);
    super.give(buffer);
  }

  expectUntouched(): void {
    for (const buffer of this.spare) expect(buffer.every((byte) => byte === SPARE)).toBe(true);
  }
}

/** Takes its time, as a disk does. */
class WatchedStore extends MemoryBlockStore {
  override readonly buffers = new WatchedBuffers();
  readonly startHash = startSha256;

  override async putVerified(cid: CID, bytes: Uint8Array, { sha256 }: PutOptions = {}): Promise<void> {
    const before = bytes.slice();
    expect(sha256).toEqual(createHash("sha256").update(bytes).digest());
    verifyBlockNow(cid, bytes, sha256);
    for (let turns = 0; turns < 3; turns++) await turn();
    expect(bytes).toEqual(before);
    await this.write(cid, bytes);
  }
}

const turn = () => new Promise(setImmediate);

const WAYS = ["stream", "side", "post"] as const;
type Way = (typeof WAYS)[number];

const way = fc.constantFrom(...WAYS);
const request = fc.nat(7);
const index = fc.nat(chunks.length - 1);
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant("ask" as const), index }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("leave" as const), index }) },
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant("bring" as const),
      request,
      way,
      length: fc.integer({ min: 1, max: CHUNK }),
      isRight: fc.integer({ min: 0, max: 4 }).map((one) => one > 0),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("begin" as const),
      request,
      way,
      sizeBytes: fc.constantFrom(0, CHUNK - 1, CHUNK, CHUNK + 1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom(
        "missing" as const,
        "cancelled" as const,
        "unposted" as const,
        "lose_post" as const,
      ),
      request,
    }),
  },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom("lose_side" as const, "wait" as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Want {
  /** The conversation. */
  asking: Asking;
  requestId: number;
  bytes: Uint8Array;
  /** Undefined until its answer begins. */
  sentBytes: number | undefined;
}

/** One transfer's chunks, and the peer that brings them. */
class Landing {
  readonly store = new WatchedStore();
  readonly inbox = new Inbox<TransferEvent>();
  readonly #clock = new HandClock();
  readonly #ending = new AbortController();
  readonly #work: TransferWork;
  readonly #watchdog = new Watchdog(this.#clock);
  #asking!: Asking;
  #peer!: ActivePeer;
  /** What was asked for and is not answered whole, of conversations before, too. */
  #wants: Want[] = [];
  #side:
    | { take: (bytes: Uint8Array) => void; cut: (reason: unknown) => void; signal: AbortSignal }
    | undefined;

  constructor() {
    const ports = { blocks: this.store, clock: this.#clock, budget: new RequestBudget() };
    this.#work = new TransferWork(ports as never, this.inbox, this.#ending.signal);
    this.#meet();
  }

  async end(): Promise<void> {
    this.#ending.abort(new SharingError("stopped", "x"));
    this.#peer.leave(new SharingError("stopped", "x"));
    await this.#work.ended();
    this.#watchdog.stop();
  }

  async do(step: Step): Promise<void> {
    switch (step.does) {
      case "ask":
        return this.#ask(step.index);
      case "leave":
        return this.#leave(step.index);
      case "wait":
        await turn();
        return;
      case "lose_side":
        this.#side?.cut(new SharingError("peer_lost", "cut"));
        await turn();
        return;
      default:
    }
    const want = this.#wants.at(-1 - (step.request % Math.max(1, this.#wants.length)));
    if (want === undefined) return;
    const { requestId, asking } = want;
    // Of one that is over, what the peer posts may still be on its way.
    if (asking !== this.#asking && !("way" in step && step.way === "post")) return;
    const { does } = step;
    switch (does) {
      case "begin":
        return this.#hear(step.way, () => this.#begin(step.way, want, step.sizeBytes));
      case "bring":
        return this.#hear(step.way, () => this.#bring(step.way, want, step.length, step.isRight));
      case "lose_post":
        want.sentBytes = undefined;
        return this.#asking.onPostLost(requestId);
      default:
        return this.#hear("stream", () => this.#asking.onMessage({ type: does, requestId }));
    }
  }

  #leave(index: number): void {
    this.#peer.cancel(index, "another peer was faster");
  }

  /** Once at a time. */
  #ask(index: number): void {
    this.#leave(index);
    const { cid } = chunks[index] as (typeof chunks)[0];
    const manifest = { chunkCid: () => cid, chunkBytes: () => CHUNK };
    const entry = { manifest } as unknown as CatalogEntry;
    this.#work.fetchChunk({ peer: this.#peer, entry, index, isUrgent: false, copy: undefined });
  }

  #begin(by: Way, want: Want, sizeBytes: number): void {
    this.#say(by, want.asking, { type: "block", requestId: want.requestId, sizeBytes });
    want.sentBytes = 0;
  }

  /** At most to its end. */
  #bring(by: Way, want: Want, length: number, isRight: boolean): void {
    if (want.sentBytes === undefined) this.#begin(by, want, CHUNK);
    const start = want.sentBytes ?? 0;
    // Valid during the call only.
    const lent = want.bytes.slice(start, start + length);
    if (!isRight) lent[0] = (lent[0] as number) ^ 1;
    want.sentBytes = start + lent.length;
    if (want.sentBytes === CHUNK) this.#wants.splice(this.#wants.indexOf(want), 1);
    if (by === "side") {
      this.#side?.take(encodeDataHeader(want.requestId, lent.length));
      this.#side?.take(lent);
    } else {
      want.asking.onData(want.requestId, lent);
    }
    lent.fill(0);
  }

  #say(by: Way, asking: Asking, message: Message): void {
    if (by === "side") this.#side?.take(encodeMessage(message));
    else asking.onMessage(message);
  }

  /** A fault on the stream ends the conversation, one on the side that alone, and one of a post nothing. */
  #hear(by: Way, say: () => void): void {
    try {
      say();
    } catch (error) {
      if (!isSharingError(error, "protocol_error")) throw error;
      if (by === "side") this.#side?.cut(error);
      else if (by === "stream") {
        this.#asking.onClosed(error);
        this.#meet();
      }
    }
  }

  #meet(): void {
    this.#side = undefined;
    const heard = new FrameReader({ onMessage: (message) => this.#heard(message), onData: () => {} });
    const share = new FairShare(new TokenBucket(Number.POSITIVE_INFINITY, this.#clock), this.#clock);
    const wire = { queue: (frame: Uint8Array) => heard.push(frame) };
    const parts = {
      maxInFlight: 4,
      share,
      traffic: { uploaded: () => {}, downloaded: () => {} },
      watchdog: this.#watchdog,
      sideWay: {
        worthBytes: 0,
        read: (_: Uint8Array, take: (bytes: Uint8Array) => void, signal: AbortSignal) =>
          new Promise<void>((_, cut) => {
            this.#side = { take, cut, signal };
          }),
      },
      onSideLost: () => {},
      onSilence: () => {},
      pacing: undefined,
      posts: new ExpectedPosts(),
      onClosed: () => {},
    };
    this.#asking = new Asking(parts, () => wire as Wire);
    this.#asking.onMessage({ type: "post_ask" });
    const session = {
      peerId: "peer",
      maxInFlight: 4,
      fetch: this.#asking.fetch.bind(this.#asking),
      prioritize: () => {},
      haves: async function* () {},
      close: () => {},
    };
    this.#peer = new ActivePeer(session, this.#clock, freeTurns());
  }

  #heard(message: Message): void {
    if (message.type === "ticket_ask") {
      queueMicrotask(() => {
        this.#asking.onMessage({ type: "ticket", ticket: new Uint8Array(16) });
        this.#side?.take(encodeMessage({ type: "side_open" }));
      });
    }
    if (message.type !== "want") return;
    const asked = blocks.find(({ cid }) => Buffer.compare(cid.multihash.digest, message.digest) === 0);
    this.#wants.push({
      asking: this.#asking,
      requestId: message.requestId,
      bytes: asked?.bytes as Uint8Array,
      sentBytes: undefined,
    });
  }
}

it("is stored if it is what its name says, and lands nowhere else", async () => {
  let storedCount = 0;
  let refusedCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const landing = new Landing();
      for (const one of steps) await landing.do(one);
      await landing.end();
      const { store, inbox } = landing;
      store.buffers.expectUntouched();
      expect(store.buffers.spare.size * CHUNK).toBe((store.buffers.heldBytes / CHUNK_BYTES) * CHUNK);
      for (const { cid, bytes } of blocks) {
        if (!(await store.has(cid))) continue;
        expect(await store.read(cid, undefined, new AbortController().signal)).toEqual(bytes);
        storedCount += 1;
      }
      inbox.push({ type: "tick" });
      for (let next = await inbox.next(never); next.type !== "tick"; next = await inbox.next(never)) {
        if (next.type !== "failed") continue;
        if (!(next.error instanceof SharingError)) throw next.error;
        if (next.error.name === "hash_mismatch") refusedCount += 1;
      }
    }),
    { numRuns: 400 },
  );
  expect([storedCount > 50, refusedCount > 50]).toEqual([true, true]);
});
