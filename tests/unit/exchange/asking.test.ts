/** The asking side, sent frame by frame: src/exchange/asking/asking. */
import { getEventListeners } from "node:events";
import { expect, it, vi } from "vitest";
import { Asking, type AskingParts } from "../../../src/exchange/asking/asking.ts";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import {
  DOUBT_MS,
  IN_FLIGHT_BULK,
  MAX_BLOCK_BYTES,
  MAX_UNPOSTED,
  SIDE_OPEN_MS,
  SIDE_STALL_MS,
  STALL_MS,
  TICK_MS,
} from "../../../src/exchange/limits.ts";
import { FairShare, type Lane } from "../../../src/exchange/rates/fair-share.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import type { Wire } from "../../../src/exchange/wire/wire.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { MAX_CHUNKS_UNDER_WAY } from "../../../src/sharing/limits.ts";
import { HandClock } from "../hand-clock.ts";
import { type Block, blockOf, makeBlocks, wanted } from "./loopback.ts";

const [block, other] = (await makeBlocks(2, 100)) as [Block, Block];
const lost = new SharingError("peer_lost", "x");
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Asks a peer of which nothing is heard but what the test says. */
class Asker {
  readonly clock = new HandClock();
  readonly watchdog = new Watchdog(this.clock);
  readonly share = new FairShare(new TokenBucket(Number.POSITIVE_INFINITY, this.clock), this.clock);
  readonly posts = new ExpectedPosts();
  readonly sent: Message[] = [];
  readonly failures: Error[] = [];
  readonly asking: Asking;
  side: { take: (bytes: Uint8Array) => void; end: () => void; signal: AbortSignal } | undefined;

  constructor(parts: Partial<AskingParts> = {}) {
    const heard = new FrameReader({ onMessage: (message) => this.sent.push(message), onData: () => {} });
    const wire = {
      queue: (frame: Uint8Array) => heard.push(frame),
      fail: (error: Error) => this.failures.push(error),
    };
    this.asking = new Asking(
      {
        maxInFlight: 16,
        share: this.share,
        traffic: { uploaded: () => {}, downloaded: () => {} },
        watchdog: this.watchdog,
        pacing: undefined,
        sideWay: undefined,
        onSideLost: () => {},
        onSilence: () => {},
        posts: this.posts,
        onClosed: () => {},
        ...parts,
      },
      () => wire as unknown as Wire,
    );
  }

  /** Side streams that open when the test says so. */
  static aside(worthBytes = 0, maxInFlight = 16): Asker {
    const asker: Asker = new Asker({
      maxInFlight,
      sideWay: {
        worthBytes,
        read: (_, take, signal) => {
          return new Promise((end) => {
            asker.side = { take, end, signal };
          });
        },
      },
    });
    return asker;
  }

  /** Asks for a block of which nothing comes until the test says so. */
  ask(one = block): Promise<Uint8Array | string> {
    return this.asking.fetch(wanted(one)).catch((error: Error) => error.name);
  }

  /** So many bytes come of an answer that begins. */
  bring(requestId: number, sizeBytes: number, bytes: number): void {
    this.asking.onMessage({ type: "block", requestId, sizeBytes });
    this.asking.onData(requestId, block.bytes.subarray(0, bytes));
  }

  giveTicket(): void {
    this.asking.onMessage({ type: "ticket", ticket: new Uint8Array(16) });
  }

  openSide(): void {
    this.giveTicket();
    this.side?.take(encodeMessage({ type: "side_open" }));
  }

  get wants(): number[] {
    return this.sent.flatMap((message) => (message.type === "want" ? [message.requestId] : []));
  }

  /** Which of the blocks were asked for, in their order. */
  askedOf(blocks: Block[]): number[] {
    const placeOf = (digest: Uint8Array) =>
      blocks.findIndex(({ cid }) => Buffer.compare(cid.multihash.digest, digest) === 0);
    return this.sent.flatMap((message) => (message.type === "want" ? [placeOf(message.digest)] : []));
  }
}

it("what a reader begins to wait for is asked for before the rest, and its peer told once if it was asked already", async () => {
  const blocks = await makeBlocks(6, 100);
  const unasked = blocks.pop() as Block;
  const asker = new Asker({ maxInFlight: 2 });
  for (const one of blocks) void asker.ask(one);
  const [first, , , fourth, last] = blocks as [Block, Block, Block, Block, Block];
  for (const { cid } of [first, first, last, fourth]) asker.asking.prioritize(cid, 2);
  asker.asking.prioritize(last.cid, 1);
  asker.asking.prioritize(unasked.cid, 2);
  expect(asker.sent.filter(({ type }) => type !== "want")).toEqual([
    { type: "priority", requestId: 0, priority: 2 },
  ]);
  for (const requestId of [0, 1, 2, 3]) asker.asking.onMessage({ type: "missing", requestId });
  expect(asker.askedOf(blocks)).toEqual([0, 1, 3, 4, 2]);
  const priorities = asker.sent.flatMap((message) => (message.type === "want" ? message.priority : []));
  expect(priorities).toEqual([1, 1, 2, 1, 1]);
});

it("a peer is told nothing of the urgency of what was cancelled", () => {
  const asker = new Asker();
  const caller = new AbortController();
  asker.asking.fetch(wanted(block, { signal: caller.signal })).catch(() => {});
  caller.abort();
  asker.asking.prioritize(block.cid, 2);
  expect(asker.sent.map(({ type }) => type)).toEqual(["want", "cancel"]);
});

it.each<[string, (asking: Asking) => void]>([
  ["the peer has confirmed it", (asking) => asking.onMessage({ type: "cancelled", requestId: 0 })],
  ["all of it has come", (asking) => asking.onData(0, block.bytes.subarray(30))],
])("what was cancelled keeps its place until %s, and then another has that", (_, end) => {
  const asker = new Asker({ maxInFlight: 1 });
  const caller = new AbortController();
  asker.asking.fetch(wanted(block, { signal: caller.signal })).catch(() => {});
  void asker.ask(other);
  asker.bring(0, 100, 30);
  caller.abort();
  expect(asker.sent.map(({ type }) => type)).toEqual(["want", "cancel"]);
  end(asker.asking);
  expect(asker.wants).toEqual([0, 1]);
  asker.asking.onClosed(lost);
});

it("what is cancelled before its turn is not asked for, and the others are", async () => {
  const blocks = await makeBlocks(3, 100);
  const [first, second, third] = blocks as [Block, Block, Block];
  const asker = new Asker({ maxInFlight: 1 });
  const caller = new AbortController();
  void asker.ask(first);
  asker.asking.fetch(wanted(second, { signal: caller.signal })).catch(() => {});
  void asker.ask(third);
  caller.abort();
  asker.asking.onMessage({ type: "missing", requestId: 0 });
  expect(asker.askedOf(blocks)).toEqual([0, 2]);
  asker.asking.onClosed(lost);
});

it("a request that was held back is made before it is cancelled, and without others once answers run short", async () => {
  const blocks = await makeBlocks(IN_FLIGHT_BULK + 2, 100);
  const [late, later] = blocks.slice(IN_FLIGHT_BULK) as [Block, Block];
  const asker = new Asker();
  for (const one of blocks.slice(0, IN_FLIGHT_BULK)) void asker.ask(one);
  const answer = (requestId: number) => asker.asking.onMessage({ type: "missing", requestId });
  const caller = new AbortController();
  answer(0);
  asker.asking.fetch(wanted(late, { signal: caller.signal })).catch(() => {});
  expect(asker.wants).toHaveLength(IN_FLIGHT_BULK);
  caller.abort();
  expect(asker.sent.slice(-2).map(({ type }) => type)).toEqual(["want", "cancel"]);
  answer(1);
  void asker.ask(later);
  expect(asker.wants).toHaveLength(IN_FLIGHT_BULK + 1);
  for (let requestId = 2; requestId < IN_FLIGHT_BULK; requestId++) answer(requestId);
  expect(asker.wants).toHaveLength(IN_FLIGHT_BULK + 2);
  asker.asking.onClosed(lost);
});

it.each<[string, number, (asker: Asker, caller: AbortController) => void]>([
  ["a block that is missing", 0, ({ asking }) => asking.onMessage({ type: "missing", requestId: 0 })],
  ["one that is shorter than it may be", 60, (asker) => asker.bring(0, 60, 60)],
  [
    "one that is cancelled half way",
    30,
    (asker, caller) => {
      asker.bring(0, 100, 30);
      caller.abort();
      asker.asking.onMessage({ type: "cancelled", requestId: 0 });
    },
  ],
  [
    "one that is posted again",
    140,
    (asker) => {
      asker.bring(0, 100, 40);
      asker.asking.onPostLost(0);
      asker.bring(0, 100, 100);
    },
  ],
  [
    "one whose post is called lost",
    120,
    (asker) => {
      asker.asking.onMessage({ type: "post_ask" });
      asker.bring(0, 100, 20);
      asker.asking.onMessage({ type: "unposted", requestId: 0 });
      asker.bring(1, 100, 100);
    },
  ],
  [
    "one whose peer goes half way",
    10,
    (asker) => {
      asker.bring(0, 100, 10);
      asker.asking.onClosed(lost);
    },
  ],
])("the rate is charged for the bytes that came of %s, and for no others", (_, cameBytes, answer) => {
  let charged = 0;
  const share = {
    isLimited: false,
    wake: (lane: Lane) => {
      for (let cost = lane.takeTurn(1); cost > 0; cost = lane.takeTurn(1)) charged += cost;
    },
    refund: (bytes: number) => {
      charged -= bytes;
    },
    remove: () => {},
  };
  const asker = new Asker({ share: share as unknown as FairShare });
  const caller = new AbortController();
  asker.asking.fetch(wanted(block, { signal: caller.signal })).catch(() => {});
  const before = charged;
  answer(asker, caller);
  expect([before, charged]).toEqual([100, cameBytes]);
});

it("a side stream is asked for once the peer has brought as much as is worth it, if no file was watched", async () => {
  const asker = Asker.aside(block.bytes.length);
  const asked = asker.ask();
  asker.asking.onMessage({ type: "block", requestId: 0, sizeBytes: block.bytes.length });
  asker.asking.onData(0, block.bytes);
  expect(await asked).toEqual(block.bytes);
  expect(asker.sent.map(({ type }) => type)).toEqual(["want"]);
  void asker.ask(other);
  expect(asker.sent.map(({ type }) => type)).toEqual(["want", "ticket_ask", "want"]);
  asker.asking.onClosed(lost);
});

it("a side stream is asked for as soon as a file is watched that is worth it, or would have been under no limit", () => {
  const asker = Asker.aside(2 * MAX_BLOCK_BYTES);
  const types = () => asker.sent.map(({ type }) => type);
  asker.asking.watch(block.cid, 1);
  expect(types()).toEqual(["watch"]);
  asker.share.setRate(1e9);
  asker.asking.watch(block.cid, 2);
  asker.share.setRate(Number.POSITIVE_INFINITY);
  asker.asking.watch(block.cid, 1);
  asker.asking.watch(block.cid, 2);
  expect(types()).toEqual(["watch", "watch", "watch", "ticket_ask", "watch"]);
  asker.asking.onClosed(lost);
});

it("on a side stream more is under way, and what it leaves undone comes first when it is given up", async () => {
  const blocks = await makeBlocks(IN_FLIGHT_BULK + 4, 100);
  const asker = Asker.aside(0, 2);
  for (const one of blocks) void asker.ask(one);
  expect(asker.wants).toHaveLength(2);
  asker.openSide();
  for (const requestId of [0, 1]) asker.asking.onMessage({ type: "missing", requestId });
  asker.asking.onTick(asker.watchdog.awakeMs + SIDE_STALL_MS - 1);
  expect(asker.side?.signal.aborted).toBe(false);
  asker.asking.onTick(asker.watchdog.awakeMs + SIDE_STALL_MS);
  const asked = Array.from({ length: 2 + IN_FLIGHT_BULK }, (_, at) => at);
  expect(asker.askedOf(blocks)).toEqual([...asked, 2, 3]);
  asker.asking.onClosed(lost);
});

it("under a limit of the rate no side stream is asked for, and one that is open left when nothing is due on it", () => {
  const asker = Asker.aside();
  void asker.ask();
  asker.openSide();
  void asker.ask(other);
  asker.share.setRate(1e9);
  const types = () => asker.sent.map(({ type }) => type);
  asker.asking.onMessage({ type: "missing", requestId: 0 });
  void asker.ask();
  expect(types()).toEqual(["ticket_ask", "want", "side_begin", "want", "want"]);
  for (const requestId of [1, 2]) asker.asking.onMessage({ type: "missing", requestId });
  void asker.ask();
  expect(types().slice(5)).toEqual(["side_end", "want"]);
  asker.asking.onClosed(lost);
});

it("a side stream has its time to open, however late in the conversation that begins", async () => {
  const asker = Asker.aside();
  await asker.clock.pass(2 * SIDE_OPEN_MS);
  void asker.ask();
  asker.giveTicket();
  await asker.clock.pass(SIDE_OPEN_MS - TICK_MS);
  expect(asker.side?.signal.aborted).toBe(false);
  await asker.clock.pass(TICK_MS);
  expect(asker.side?.signal.aborted).toBe(true);
  asker.asking.onClosed(lost);
});

it("a ticket is taken once, and by none that did not ask", () => {
  expect(() => new Asker().giveTicket()).toThrow("a ticket that nobody asked for");
  const asker = Asker.aside();
  void asker.ask();
  asker.giveTicket();
  expect(() => asker.giveTicket()).toThrow("a ticket that nobody asked for");
  asker.asking.onClosed(lost);
});

it("a conversation that ends takes its side stream, its ticket and its place on the watch with it", () => {
  const asker = Asker.aside();
  void asker.ask();
  asker.openSide();
  const close = vi.fn();
  vi.spyOn(asker.posts, "expect").mockReturnValue({ ticket: new Uint8Array(16), close });
  asker.asking.onMessage({ type: "post_ask" });
  const unwatched = vi.spyOn(asker.watchdog, "remove");
  asker.asking.onClosed(lost);
  expect(asker.side?.signal.aborted).toBe(true);
  expect(close).toHaveBeenCalledOnce();
  expect(unwatched).toHaveBeenCalledWith(asker.asking);
});

it("a conversation that ends waits for no turn any more", () => {
  const lanes = new Set<unknown>();
  const share = {
    wake: (lane: unknown) => lanes.add(lane),
    remove: (lane: unknown) => lanes.delete(lane),
    refund: () => {},
  };
  const asker = new Asker({ share: share as unknown as FairShare });
  void asker.ask();
  expect(lanes.size).toBe(1);
  asker.asking.onClosed(lost);
  expect(lanes.size).toBe(0);
});

it("a request that was answered keeps no hold of its signal", async () => {
  const asker = new Asker();
  const { signal } = new AbortController();
  const answers = [block, other].map((one) => asker.asking.fetch(wanted(one, { signal })).catch(() => {}));
  expect(getEventListeners(signal, "abort")).toHaveLength(2);
  asker.bring(0, 100, 100);
  asker.asking.onMessage({ type: "missing", requestId: 1 });
  await Promise.all(answers);
  expect(getEventListeners(signal, "abort")).toEqual([]);
  asker.asking.onClosed(lost);
});

it("a request that is given up before it is made is not made, nor one of another hash", async () => {
  const asker = new Asker({ maxInFlight: 0 });
  await expect(asker.asking.fetch(wanted(block, { signal: AbortSignal.abort(lost) }))).rejects.toBe(lost);
  const { cid } = await blockOf(new Uint8Array(0));
  const strange = { ...cid, multihash: { ...cid.multihash, code: 0x13 } } as typeof cid;
  await expect(asker.asking.fetch(wanted({ ...block, cid: strange }))).rejects.toMatchObject({
    name: "bad_request",
  });
});

it("whoever asks of one peer waits, however many do", async () => {
  const asker = new Asker({ maxInFlight: 0 });
  // Far more than the chunks that all downloads together may have under way.
  const all = Array.from({ length: 8 * MAX_CHUNKS_UNDER_WAY }, () => asker.ask());
  asker.asking.onClosed(lost);
  expect(new Set(await Promise.all(all))).toEqual(new Set(["peer_lost"]));
});

it.each<[string, (asking: Asking) => void]>([
  ["an answer that begins", (asking) => asking.onMessage({ type: "block", requestId: 0, sizeBytes: 100 })],
  ["word that a block is missing", (asking) => asking.onMessage({ type: "missing", requestId: 0 })],
])("%s is a sign of life", async (_, sign) => {
  const asker = new Asker();
  void asker.ask();
  void asker.ask(other);
  await asker.clock.pass(STALL_MS - 2000);
  sign(asker.asking);
  await asker.clock.pass(STALL_MS - 2000);
  expect(asker.failures).toEqual([]);
  await asker.clock.pass(3000);
  expect(asker.failures[0]).toMatchObject({ name: "peer_lost" });
  asker.asking.onClosed(lost);
});

it("of a peer that owes an answer and is silent it is told, once for each silence", async () => {
  const onSilence = vi.fn();
  const asker = new Asker({ onSilence });
  await asker.clock.pass(2 * DOUBT_MS);
  expect(onSilence).not.toHaveBeenCalled();
  void asker.ask();
  void asker.ask(other);
  await asker.clock.pass(2 * DOUBT_MS);
  expect(onSilence).toHaveBeenCalledTimes(1);
  asker.asking.onMessage({ type: "missing", requestId: 0 });
  await asker.clock.pass(DOUBT_MS - TICK_MS);
  expect(onSilence).toHaveBeenCalledTimes(1);
  await asker.clock.pass(2 * TICK_MS);
  expect(onSilence).toHaveBeenCalledTimes(2);
  asker.asking.onClosed(lost);
});

it("a side stream is not given up for what is due on the stream", async () => {
  const asker = Asker.aside();
  void asker.ask();
  asker.openSide();
  await asker.clock.pass(SIDE_STALL_MS + 2000);
  expect(asker.side?.signal.aborted).toBe(false);
  void asker.ask(other);
  await asker.clock.pass(2000);
  expect(asker.side?.signal.aborted).toBe(true);
  asker.asking.onClosed(lost);
});

it("what the side stream owed is asked for again, unless nobody wants it any more", () => {
  const asker = Asker.aside();
  void asker.ask();
  asker.openSide();
  const leaving = new AbortController();
  asker.asking.fetch(wanted(other, { signal: leaving.signal })).catch(() => {});
  void asker.ask(other);
  leaving.abort(lost);
  expect(asker.wants).toEqual([0, 1, 2]);
  expect(() => asker.side?.take(encodeMessage({ type: "ticket_ask" }))).toThrow("on a side stream");
  asker.asking.onTick(asker.watchdog.awakeMs + SIDE_STALL_MS);
  expect(asker.wants).toEqual([0, 1, 2, 3]);
  asker.asking.onClosed(lost);
});

it("what a side stream owes that just ends is asked for again at once, and before it opens or later it brings nothing", async () => {
  const asker = Asker.aside();
  void asker.ask();
  asker.giveTicket();
  const missing = encodeMessage({ type: "missing", requestId: 0 });
  expect(() => asker.side?.take(missing)).toThrow("on a side stream");
  const opened = Asker.aside();
  void opened.ask();
  opened.openSide();
  void opened.ask(other);
  opened.side?.end();
  await turn();
  expect(opened.sent.slice(-3).map(({ type }) => type)).toEqual(["want", "side_end", "want"]);
  expect(() => opened.side?.take(missing)).not.toThrow();
  for (const { asking } of [asker, opened]) asking.onClosed(lost);
});

it("no ticket is given where nobody can come with posts, and to ask for one is no fault", () => {
  const asker = new Asker({ posts: undefined });
  asker.asking.onMessage({ type: "post_ask" });
  expect(asker.sent).toEqual([]);
  asker.asking.onClosed(lost);
});

it("posts may be lost now and then, and none that was not asked for", () => {
  const asker = new Asker();
  asker.asking.onMessage({ type: "post_ask" });
  void asker.ask();
  const lose = () => asker.asking.onMessage({ type: "unposted", requestId: asker.wants.at(-1) as number });
  for (let count = 0; count < MAX_UNPOSTED; count++) lose();
  const requestId = asker.wants.at(-1) as number;
  asker.asking.onMessage({ type: "block", requestId, sizeBytes: 100 });
  asker.asking.onData(requestId, block.bytes);
  void asker.ask();
  for (let count = 0; count < MAX_UNPOSTED - 1; count++) lose();
  const next = (asker.wants.at(-1) as number) + 1;
  expect(() => asker.asking.onMessage({ type: "unposted", requestId: next })).toThrow(
    "lost before it was asked",
  );
  expect(lose).toThrow("called lost that were not to be made");
  asker.asking.onClosed(lost);
});
