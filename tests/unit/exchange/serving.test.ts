/** One peer that is served, on a stream that takes bytes when the test lets it. */
import { describe, expect, it, vi } from "vitest";
import {
  BULK_SEND_BYTES,
  BURST_SECONDS,
  MAX_BLOCK_BYTES,
  MAX_CONTROL_BYTES,
  MAX_READ_IN_VAIN,
  MAX_REMEMBERED_WANTS,
  MAX_REQUESTS_PER_PEER,
  MAX_WATCHES_PER_PEER,
  READ_AHEAD_BLOCKS,
  SIGN_BYTES,
  SIGN_EVERY_MS,
  SLOT_BYTES_PER_SECOND,
  SLOW_READER_MS,
  SMALL_SEND_BYTES,
} from "../../../src/exchange/limits.ts";
import { FairShare } from "../../../src/exchange/rates/fair-share.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { AskedPaces } from "../../../src/exchange/serving/asked-paces.ts";
import { GivenBlocks } from "../../../src/exchange/serving/given-blocks.ts";
import { NewsLane } from "../../../src/exchange/serving/news-lane.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { ReadAhead } from "../../../src/exchange/serving/read-ahead.ts";
import { Serving, type ServingParts } from "../../../src/exchange/serving/serving.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import type { Message, WantMessage } from "../../../src/exchange/wire/messages.ts";
import type { Wire } from "../../../src/exchange/wire/wire.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { MAX_CHUNKS } from "../../../src/sharing/limits.ts";
import type { BlockSource, HaveUpdate } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";

const RATE = 64 * 1024;
const lost = new SharingError("peer_lost", "x");
const turn = () => new Promise(setImmediate);

/** What is heard of frames that come in pieces. */
function hearing() {
  const heard: Message[] = [];
  const frames = new FrameReader({ onMessage: (message) => heard.push(message), onData: () => {} });
  return { heard, push: (bytes: Uint8Array) => frames.push(bytes) };
}

class Server {
  readonly clock = new HandClock();
  readonly watchdog = new Watchdog(this.clock);
  readonly share = new FairShare(new TokenBucket(Number.POSITIVE_INFINITY, this.clock), this.clock);
  readonly sent: Message[];
  /** Bytes that the stream was handed at once. */
  readonly sends: number[] = [];
  readonly errors: unknown[] = [];
  /** Why the conversation was ended here. */
  readonly ends: SharingError[] = [];
  readonly serving: Serving;
  isWritable = true;
  /** The stream is full with the first bytes that it takes. */
  takesOne = false;

  /** Each block has the length that its request allows. */
  constructor({
    source,
    ...parts
  }: Partial<Omit<ServingParts, "source">> & { source?: Partial<BlockSource> } = {}) {
    const { heard, push } = hearing();
    this.sent = heard;
    const isWritable = () => this.isWritable;
    const wire = {
      get isWritable() {
        return isWritable();
      },
      send: (bytes: Uint8Array) => {
        push(bytes.subarray());
        this.sends.push(bytes.length);
        if (this.takesOne) this.isWritable = false;
      },
      fail: (error: SharingError) => this.ends.push(error),
    };
    this.serving = new Serving(
      {
        source: {
          buffers: new ChunkBuffers(),
          shares: () => true,
          doubt: () => {},
          readBlock: async (cid) => new Uint8Array(sizeOf(cid.multihash.digest)),
          haves: async function* () {},
          ...source,
        },
        clock: this.clock,
        share: this.share,
        pacing: new AskedPaces(this.clock).of("host"),
        held: new ReadAhead().of("peer"),
        host: "host",
        given: new GivenBlocks(),
        traffic: { uploaded: () => {}, downloaded: () => {} },
        watchdog: this.watchdog,
        sendBytes: BULK_SEND_BYTES,
        sides: undefined,
        postPath: undefined,
        onPostLost: () => {},
        onSourceError: (error) => this.errors.push(error),
        onClosed: () => {},
        ...parts,
      },
      () => wire as unknown as Wire,
    );
  }

  want(requestId: number, sizeBytes = 10, block = requestId): void {
    this.serving.onMessage(wantOf(requestId, sizeBytes, block));
  }

  /** The stream takes bytes again. */
  drain(): void {
    this.isWritable = true;
    this.serving.onWritable();
  }

  /** Requests whose answers have begun, in their order. */
  get begun(): number[] {
    return this.sent.flatMap((message) => (message.type === "block" ? [message.requestId] : []));
  }
}

/** Which block it is, of those of a test that have 10 bytes or a few more. */
function blockOf({ digest }: { digest: Uint8Array }): number {
  return ((sizeOf(digest) - 10) << 8) | (digest[31] as number);
}

/** A block's digest tells its length. */
function wantOf(requestId: number, sizeBytes: number, block: number): WantMessage {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(0, sizeBytes);
  digest[31] = block;
  return { type: "want", requestId, priority: 1, maxBytes: sizeBytes, codec: 0x55, digest };
}

function sizeOf(digest: Uint8Array): number {
  return new DataView(digest.buffer, digest.byteOffset).getUint32(0);
}

describe("a peer that is served", () => {
  it("is looked at no more, has no turn and watches nothing once its conversation has ended", () => {
    const signals: AbortSignal[] = [];
    async function* haves(_: string, _count: number, signal: AbortSignal): AsyncGenerator<HaveUpdate> {
      signals.push(signal);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const { serving, watchdog, share } = new Server({ source: { haves } });
    const removals = [vi.spyOn(watchdog, "remove"), vi.spyOn(share, "remove")];
    serving.onMessage({ type: "watch", watchId: 0, chunkCount: 9, codec: 0x55, digest: new Uint8Array(32) });
    serving.onClosed(lost);
    for (const removal of removals) expect(removal).toHaveBeenCalledWith(serving);
    expect(share.remove).toHaveBeenCalledWith(expect.any(NewsLane));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("hears of what came while the stream was full as soon as that takes bytes", async () => {
    async function* haves(_: string, _count: number, signal: AbortSignal): AsyncGenerator<HaveUpdate> {
      yield { kind: "all" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const server = new Server({ source: { haves } });
    const { serving } = server;
    server.isWritable = false;
    serving.onMessage({ type: "watch", watchId: 0, chunkCount: 9, codec: 0x55, digest: new Uint8Array(32) });
    await turn();
    expect(server.sent).toEqual([]);
    server.drain();
    expect(server.sent).toEqual([{ type: "have_all", watchId: 0 }]);
    serving.onClosed(lost);
  });

  it("hears little at once of all that it watches, and the rest as the stream takes it", async () => {
    async function* haves(_: string, _count: number, signal: AbortSignal): AsyncGenerator<HaveUpdate> {
      yield { kind: "bitfield", bits: new Uint8Array(MAX_CHUNKS / 8) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const server = new Server({ source: { haves } });
    const file = { chunkCount: MAX_CHUNKS, codec: 0x55 };
    server.isWritable = false;
    for (let watchId = 0; watchId < MAX_WATCHES_PER_PEER; watchId++)
      server.serving.onMessage({ type: "watch", watchId, ...file, digest: new Uint8Array(32).fill(watchId) });
    await turn();
    server.takesOne = true;
    const told = () => server.sent.flatMap((message) => (message.type === "have_field" ? message : []));
    for (let sendCount = 1; told().length < MAX_WATCHES_PER_PEER * 16; sendCount++) {
      server.drain();
      expect(server.sends).toHaveLength(sendCount);
    }
    expect(Math.max(...server.sends)).toBeLessThanOrEqual(SMALL_SEND_BYTES);
    const offsets = told().map(({ watchId, offsetBytes }) => `${watchId} ${offsetBytes}`);
    expect(new Set(offsets).size).toBe(offsets.length);
    server.serving.onClosed(lost);
  });

  it("hears of what it watches no faster than the upload rate allows, and of all of it", async () => {
    async function* haves(_: string, _count: number, signal: AbortSignal): AsyncGenerator<HaveUpdate> {
      yield { kind: "bitfield", bits: new Uint8Array(MAX_CHUNKS / 8) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(RATE, clock), clock);
    const server = new Server({ source: { haves }, share });
    const digest = new Uint8Array(32);
    server.serving.onMessage({ type: "watch", watchId: 0, chunkCount: MAX_CHUNKS, codec: 0x55, digest });
    const toldBytes = () => server.sends.reduce((sum, bytes) => sum + bytes, 0);
    for (let ms = 100; toldBytes() < MAX_CHUNKS / 8; ms += 100) {
      await clock.pass(100);
      expect(toldBytes()).toBeLessThanOrEqual((ms / 1000 + BURST_SECONDS) * RATE + MAX_CONTROL_BYTES);
    }
    server.serving.onClosed(lost);
  });

  it("hears of what it watches as one of its host's, who share a rate with others", async () => {
    async function* haves(_: string, _count: number, signal: AbortSignal): AsyncGenerator<HaveUpdate> {
      yield { kind: "all" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }
    const { serving, share } = new Server({ source: { haves }, host: "a household" });
    const wake = vi.spyOn(share, "wake");
    serving.onMessage({ type: "watch", watchId: 0, chunkCount: 9, codec: 0x55, digest: new Uint8Array(32) });
    await turn();
    expect(wake.mock.calls).toEqual([[expect.any(NewsLane)]]);
    expect(wake.mock.calls[0]?.[0].host).toBe("a household");
    serving.onClosed(lost);
  });

  it("hears that its watch is over where the source fails, which this node hears, too", async () => {
    const failure = new Error("the disk is gone");
    const haves = () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }) });
    const { serving, sent, errors } = new Server({ source: { haves } });
    serving.onMessage({ type: "watch", watchId: 0, chunkCount: 9, codec: 0x55, digest: new Uint8Array(32) });
    await turn();
    expect([sent, errors]).toEqual([[{ type: "watch_end", watchId: 0 }], [failure]]);
  });

  it("is sent no more at once than its transport carries in one message", async () => {
    const given = new GivenBlocks();
    const gives = vi.spyOn(given, "give");
    const server = new Server({ sendBytes: SMALL_SEND_BYTES, given });
    for (const requestId of [0, 1]) server.want(requestId, 100_000);
    await turn();
    expect(gives).toHaveBeenCalledTimes(2);
    expect(Math.max(...server.sends)).toBeLessThanOrEqual(64 * 1024);
    expect(server.sends.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(200_000);
  });

  it("may take its time, as long as its stream takes something now and then, though that is full at each look", async () => {
    const server = new Server();
    server.takesOne = true;
    server.isWritable = false;
    for (const requestId of [0, 1, 2]) server.want(requestId, 1_000_000);
    await turn();
    for (let ms = 0; ms < 5 * SLOW_READER_MS; ms += SLOW_READER_MS / 2) {
      server.watchdog.awakeMs = ms;
      server.drain();
      expect(server.isWritable).toBe(false);
      server.serving.onTick(ms + SLOW_READER_MS / 2);
    }
    expect(server.ends).toEqual([]);
    server.serving.onTick(6 * SLOW_READER_MS);
    expect(server.ends).toMatchObject([{ name: "peer_lost" }]);
    server.serving.onClosed(lost);
  });

  it("is given first what another was not given", async () => {
    const given = new GivenBlocks();
    const [one, other] = [new Server({ given }), new Server({ given })];
    one.want(0, 10, 7);
    await turn();
    other.isWritable = false;
    for (const requestId of [0, 1]) other.want(requestId, 10, 7 + requestId);
    await turn();
    other.drain();
    expect([one.begun, other.begun]).toEqual([[0], [1, 0]]);
  });

  it("is believed to have found wrong what it asks for again, and not what it asked for long ago", async () => {
    const doubted: number[] = [];
    const server = new Server({
      source: { doubt: ({ multihash }) => void doubted.push(blockOf(multihash)) },
    });
    let requestId = 0;
    const ask = async (block: number) => {
      server.want(requestId++, 10 + (block >> 8), block & 255);
      await turn();
    };
    for (const block of [1, 2, 1, 1]) await ask(block);
    expect(doubted).toEqual([1, 1]);
    for (let other = 3; other < 3 + MAX_REMEMBERED_WANTS - 1; other++) await ask(other);
    for (const block of [1, 2]) await ask(block);
    expect(doubted).toEqual([1, 1, 1]);
    server.serving.onClosed(lost);
  });

  it("waits for nothing behind an empty block", async () => {
    const server = new Server();
    server.isWritable = false;
    for (const requestId of [0, 1, 2]) server.want(requestId, 0);
    await turn();
    server.drain();
    expect(server.begun).toEqual([0, 1, 2]);
  });

  it("may ask for a ticket though it waits for as many answers as it may", () => {
    const server = new Server({ sides: new OfferedSides(new HandClock()) });
    for (let requestId = 0; requestId < MAX_REQUESTS_PER_PEER; requestId++) server.want(requestId);
    server.serving.onMessage({ type: "ticket_ask" });
    expect(server.sent.map(({ type }) => type)).toEqual(["ticket"]);
    server.serving.onClosed(lost);
  });

  /** With a side stream that is opened, and its first frame read. */
  async function openAside() {
    const sides = new OfferedSides(new HandClock());
    const server = new Server({ sides });
    server.serving.onMessage({ type: "ticket_ask" });
    const [told] = server.sent;
    if (told?.type !== "ticket") throw new Error("no ticket");
    const reader = sides.redeem(ticketText(told.ticket))?.getReader();
    const { heard, push } = hearing();
    const read = async () => push((await reader?.read())?.value ?? new Uint8Array());
    await read();
    server.isWritable = false;
    return { server, serving: server.serving, heard, read };
  }

  it("is answered on the side stream what it asked for there, and nothing else, in the same turn", async () => {
    const { server, serving, heard, read } = await openAside();
    server.want(0);
    serving.onMessage({ type: "side_begin" });
    server.want(1);
    await turn();
    server.isWritable = true;
    await read();
    expect([server.begun, heard]).toMatchObject([
      [0],
      [{ type: "side_open" }, { type: "block", requestId: 1 }],
    ]);
    serving.onClosed(lost);
  });

  it("may leave a side stream unread on which nothing is due, while its stream takes something now and then", async () => {
    const { server, serving } = await openAside();
    server.takesOne = true;
    server.want(0, 1_000_000);
    serving.onMessage({ type: "side_begin" });
    await turn();
    for (let ms = 0; ms < 2 * SLOW_READER_MS; ms += SLOW_READER_MS / 2) {
      server.watchdog.awakeMs = ms;
      server.drain();
      serving.onTick(ms + SLOW_READER_MS / 2);
    }
    expect(server.ends).toEqual([]);
    serving.onClosed(lost);
  });

  it("is given all that it asks for, though that is more than is read ahead", async () => {
    const server = new Server();
    for (let requestId = 0; requestId < 2 * READ_AHEAD_BLOCKS; requestId++) server.want(requestId);
    await turn();
    expect(server.begun).toHaveLength(2 * READ_AHEAD_BLOCKS);
    server.serving.onClosed(lost);
  });
});

describe("a peer that has blocks read and takes none", () => {
  const MESSAGES = 500;

  /** Reads are counted. */
  function counting(stock = new ReadAhead()) {
    const counted = { reads: 0 };
    const readBlock = async () => {
      counted.reads += 1;
      return new Uint8Array(10);
    };
    return { counted, server: new Server({ source: { readBlock }, held: stock.of("peer") }) };
  }

  async function toggle(server: Server): Promise<void> {
    for (let message = 0; message < MESSAGES; message++) {
      server.serving.onMessage({ type: "priority", requestId: 6, priority: message % 2 === 0 ? 2 : 0 });
      await turn();
    }
  }

  const stuck = () => {
    const { counted, server } = counting();
    server.isWritable = false;
    for (let requestId = 0; requestId < 8; requestId++) server.want(requestId);
    return { counted, server };
  };

  it("waits for more, whether it changes its mind about what is urgent", async () => {
    const { counted, server } = stuck();
    await toggle(server);
    expect(counted.reads).toBeLessThanOrEqual(READ_AHEAD_BLOCKS + MAX_READ_IN_VAIN);
    server.serving.onClosed(lost);
  });

  it("or takes its requests back", async () => {
    const { counted, server } = counting();
    for (let requestId = 0; requestId < MESSAGES; requestId++) {
      server.want(requestId);
      server.serving.onMessage({ type: "cancel", requestId });
      await turn();
    }
    expect(counted.reads).toBeLessThanOrEqual(MAX_READ_IN_VAIN);
    server.serving.onClosed(lost);
  });

  it("or does so after it took very many", async () => {
    const { counted, server } = counting();
    for (let requestId = 0; requestId < MESSAGES; requestId++) {
      server.want(requestId);
      await turn();
    }
    expect([server.begun.length, counted.reads]).toEqual([MESSAGES, MESSAGES]);
    for (let requestId = MESSAGES; requestId < 2 * MESSAGES; requestId++) {
      server.want(requestId);
      server.serving.onMessage({ type: "cancel", requestId });
      await turn();
    }
    expect(counted.reads - MESSAGES).toBeLessThanOrEqual(MAX_READ_IN_VAIN);
    server.serving.onClosed(lost);
  });

  it("or takes a short one now and then", async () => {
    const { counted, server } = counting();
    for (let requestId = 0; requestId < MESSAGES; requestId += 2) {
      server.want(requestId);
      await turn();
      if (server.begun.at(-1) !== requestId) break;
      server.want(requestId + 1);
      server.serving.onMessage({ type: "cancel", requestId: requestId + 1 });
      await turn();
    }
    expect(counted.reads - server.begun.length).toBeLessThanOrEqual(MAX_READ_IN_VAIN + 1);
    server.serving.onClosed(lost);
  });

  it("or asks for less than blocks have", async () => {
    const { counted, server } = counting();
    for (let requestId = 0; requestId < MAX_REQUESTS_PER_PEER; requestId++) server.want(requestId, 9);
    await turn();
    expect(server.sent.filter(({ type }) => type === "missing")).toHaveLength(MAX_REQUESTS_PER_PEER);
    for (let requestId = 100; requestId < 110; requestId++) server.want(requestId, 9);
    await turn();
    expect(counted.reads).toBe(MAX_READ_IN_VAIN);
    server.serving.onClosed(lost);
  });

  it("but not for what is not here, of which it hears at once, however often", async () => {
    const server = new Server({ source: { readBlock: async () => undefined } });
    for (let requestId = 0; requestId < 2 * MAX_READ_IN_VAIN; requestId++) {
      server.want(requestId);
      await turn();
      expect(server.sent.at(-1)).toEqual({ type: "missing", requestId });
    }
    server.serving.onClosed(lost);
  });

  it("or leaves and comes back", async () => {
    const stock = new ReadAhead();
    let reads = 0;
    for (let conversations = 0; conversations < 20; conversations++) {
      const { counted, server } = counting(stock);
      server.isWritable = false;
      for (let requestId = 0; requestId < 8; requestId++) server.want(requestId);
      await turn();
      server.serving.onClosed(lost);
      reads += counted.reads;
    }
    expect(reads).toBeLessThanOrEqual(READ_AHEAD_BLOCKS + MAX_READ_IN_VAIN);
  });

  it("has one more read each second, and many as soon as it takes them", async () => {
    const { counted, server } = stuck();
    await toggle(server);
    const before = counted.reads;
    await server.clock.pass(3_000);
    await toggle(server);
    expect(counted.reads - before).toBe(3);
    server.drain();
    for (let requestId = 8; requestId < 8 + MAX_REQUESTS_PER_PEER; requestId++) {
      server.want(requestId);
      await turn();
    }
    expect(server.begun).toHaveLength(8 + MAX_REQUESTS_PER_PEER);
    server.serving.onClosed(lost);
  });
});

describe("a peer that waits for its turn", () => {
  it("is given signs that the server lives, now and then, which count toward the rate", async () => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(SLOT_BYTES_PER_SECOND, clock), clock);
    share.wake({ takeTurn: (turnBytes) => turnBytes });
    const charges = vi.spyOn(share, "charge");
    const server = new Server({ share });
    server.want(0, MAX_BLOCK_BYTES);
    await clock.pass(1_000);
    server.watchdog.awakeMs = SIGN_EVERY_MS;
    for (const awakeMs of [SIGN_EVERY_MS, 2 * SIGN_EVERY_MS - 1]) server.serving.onTick(awakeMs);
    expect([server.begun, charges.mock.calls]).toEqual([[0], [[SIGN_BYTES]]]);
    server.serving.onClosed(lost);
    share.stop();
  });

  it("hears soon of what there is to ask for", async () => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(SLOT_BYTES_PER_SECOND, clock), clock);
    share.wake({ takeTurn: (turnBytes) => turnBytes });
    async function* haves(): AsyncGenerator<HaveUpdate> {
      yield { kind: "all" };
    }
    const server = new Server({ share, source: { haves } });
    const digest = new Uint8Array(32);
    server.serving.onMessage({ type: "watch", watchId: 0, chunkCount: 9, codec: 0x55, digest });
    await clock.pass(1_000);
    expect(server.sent.map(({ type }) => type)).toEqual(["have_all", "watch_end"]);
    server.serving.onClosed(lost);
    share.stop();
  });

  it.each<[string, Message]>([
    ["has become urgent", { type: "priority", requestId: 1, priority: 2 }],
    ["is all that it wants now", { type: "cancel", requestId: 0 }],
  ])("has a short block soon once that %s", async (_, message) => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(SLOT_BYTES_PER_SECOND, clock), clock);
    share.wake({ takeTurn: (turnBytes) => turnBytes });
    const server = new Server({ share });
    server.want(0, MAX_BLOCK_BYTES);
    server.want(1);
    await clock.pass(1_000);
    expect(server.begun).toEqual([]);
    server.serving.onMessage(message);
    await clock.pass(1_000);
    expect(server.begun.slice(0, 1)).toEqual([1]);
    server.serving.onClosed(lost);
    share.stop();
  });
});

describe("a peer to which blocks are posted", () => {
  const LARGE = 100_000;

  /** Posts that never end. The first request is answered on the stream, and has a ticket asked for. */
  async function posting() {
    const posted: number[] = [];
    const ends: (() => void)[] = [];
    const post = ({ requestId }: { requestId: number }) => {
      posted.push(requestId);
      return new Promise<number>((resolve) => ends.push(() => resolve(LARGE)));
    };
    const server = new Server({ postPath: { leadsTo: () => true, post } });
    server.want(0, LARGE);
    await turn();
    server.serving.onMessage({ type: "post_ticket", ticket: new Uint8Array(16) });
    return { server, serving: server.serving, posted, ends };
  }

  it("has next what has become urgent, hears that what waited is cancelled, and has no more once it has gone", async () => {
    const { server, serving, posted, ends } = await posting();
    for (const requestId of [1, 2, 3, 4, 5]) server.want(requestId, LARGE);
    expect(posted).toEqual([1, 2]);
    serving.onMessage({ type: "priority", requestId: 5, priority: 2 });
    serving.onMessage({ type: "cancel", requestId: 3 });
    serving.onMessage({ type: "cancel", requestId: 2 });
    expect(server.sent.filter(({ type }) => type === "cancelled")).toEqual([
      { type: "cancelled", requestId: 3 },
    ]);
    ends[0]?.();
    await turn();
    expect(posted).toEqual([1, 2, 5]);
    serving.onClosed(lost);
    ends[1]?.();
    await turn();
    expect(posted).toEqual([1, 2, 5]);
  });

  it("may ask for no more than others, and waits for an answer until all has arrived", async () => {
    const { server, serving } = await posting();
    for (let requestId = 1; requestId <= MAX_REQUESTS_PER_PEER; requestId++) server.want(requestId, LARGE);
    expect(serving.isAsking).toBe(true);
    expect(() => server.want(100, LARGE)).toThrow("too many requests");
    serving.onClosed(lost);
  });
});
