/** In which order a peer's requests are answered: src/exchange/serving/answers. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  MAX_PASSED_BY,
  MAX_READ_IN_VAIN,
  MAX_REMEMBERED_BLOCKS,
  MAX_REMEMBERED_PEERS,
  READ_AHEAD_BLOCKS,
  SHARED_READ_AHEAD_BLOCKS,
} from "../../../src/exchange/limits.ts";
import { Answers } from "../../../src/exchange/serving/answers.ts";
import { GivenBlocks } from "../../../src/exchange/serving/given-blocks.ts";
import { Outlet } from "../../../src/exchange/serving/outlet.ts";
import { ReadAhead } from "../../../src/exchange/serving/read-ahead.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import type { WantMessage } from "../../../src/exchange/wire/messages.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { HandClock } from "../hand-clock.ts";

/** A peer that is served: asks for blocks by number, and is given the next whole one on `give`. */
class Served {
  readonly #answers: Answers;
  readonly #outlet = new Outlet(
    () => ({ isWritable: true, send: () => {} }),
    1,
    new Watchdog(new HandClock()),
  );
  #requestId = 0;

  constructor(given: GivenBlocks) {
    this.#answers = new Answers({
      source: {
        buffers: new ChunkBuffers(),
        readBlock: async () => new Uint8Array(1),
        shares: () => true,
        doubt: () => {},
        haves: async function* () {},
      },
      held: new ReadAhead().of("peer"),
      given,
      onNext: () => {},
      onSourceError: () => {},
    });
  }

  want(block: number, priority: WantMessage["priority"] = 1): void {
    const digest = new Uint8Array(32).fill(block);
    const asked = { type: "want", codec: 0x55, digest, maxBytes: 1, priority } as const;
    this.#answers.add({ ...asked, requestId: this.#requestId++ }, this.#outlet);
  }

  prioritize(requestId: number, priority: WantMessage["priority"]): void {
    this.#answers.prioritize(requestId, priority);
  }

  cancel(requestId: number): void {
    this.#answers.withdraw(({ want }) => want.requestId === requestId, "x");
  }

  /** The next one's first bytes are sent. */
  async begin(): Promise<void> {
    await new Promise(setImmediate);
    const [next] = this.#answers.read;
    if (next === undefined) throw new Error("nothing is read");
    this.#answers.begin(next);
    next.sentBytes = 1;
  }

  /** Gives the number of the block, or undefined when nothing more is asked for. */
  async give(): Promise<number | undefined> {
    await new Promise(setImmediate);
    const [next] = this.#answers.read;
    if (next === undefined) return undefined;
    this.#answers.begin(next);
    next.sentBytes = next.block.length;
    this.#answers.drop(next);
    this.#answers.readOn();
    return next.want.digest[0];
  }

  async giveAll(): Promise<number[]> {
    const all: number[] = [];
    for (let block = await this.give(); block !== undefined; block = await this.give()) all.push(block);
    return all;
  }
}

describe("answers", () => {
  it("come in the order in which they were asked for while nobody was given any of it", async () => {
    const peer = new Served(new GivenBlocks());
    for (const block of [3, 1, 2, 5, 4, 9, 8, 7]) peer.want(block);
    expect(await peer.giveAll()).toEqual([3, 1, 2, 5, 4, 9, 8, 7]);
  });

  it("are ordered once for all that is said of them at once, and not for one that is gone", async () => {
    let looks = 0;
    const given = new GivenBlocks();
    given.givenAt = () => {
      looks += 1;
      return 0;
    };
    const peer = new Served(given);
    for (let block = 0; block < 10; block++) peer.want(block);
    await new Promise(setImmediate);
    looks = 0;
    for (let said = 0; said < 1000; said++) {
      peer.prioritize(9, said % 2 === 0 ? 0 : 2);
      peer.cancel(99);
    }
    await new Promise(setImmediate);
    expect(looks).toBeLessThanOrEqual(10);
    expect(await peer.give()).toBe(9);
  });

  it("bring each of two that ask for the same what the other was not given", async () => {
    const given = new GivenBlocks();
    const [one, other] = [new Served(given), new Served(given)];
    for (const block of [1, 2, 3, 4]) for (const peer of [one, other]) peer.want(block);
    expect([await one.give(), await other.give(), await one.give(), await other.give()]).toEqual([
      1, 2, 3, 4,
    ]);
    expect([await one.give(), await other.give(), await one.give(), await other.give()]).toEqual([
      2, 1, 4, 3,
    ]);
  });

  it("bring what a reader waits for first, in its order, whoever was given it", async () => {
    const given = new GivenBlocks();
    const peer = new Served(given);
    const other = new Served(given);
    other.want(1);
    await other.giveAll();
    for (const block of [5, 6]) peer.want(block);
    for (const block of [1, 2]) peer.want(block, 2);
    expect(await peer.giveAll()).toEqual([1, 2, 5, 6]);
  });

  it("bring first what a reader has begun to wait for, also before what is half sent, and last what nobody does now", async () => {
    const peer = new Served(new GivenBlocks());
    for (const block of [0, 1, 2, 3, 4]) peer.want(block, block === 4 ? 2 : 1);
    await peer.begin();
    peer.prioritize(4, 1);
    for (const requestId of [3, 2, 9]) peer.prioritize(requestId, 2);
    peer.prioritize(1, 0);
    expect(await peer.giveAll()).toEqual([2, 3, 4, 0, 1]);
  });

  it("pass by one that was given to others so often, and no more", async () => {
    const given = new GivenBlocks();
    const [peer, other] = [new Served(given), new Served(given)];
    other.want(50);
    await other.giveAll();
    const younger = Array.from({ length: MAX_PASSED_BY + 2 }, (_, at) => at);
    for (const block of [50, ...younger]) peer.want(block);
    expect(await peer.giveAll()).toEqual([...younger.slice(0, MAX_PASSED_BY), 50, ...younger.slice(-2)]);
  });

  it("count older ones among those that pass a request by never", async () => {
    const given = new GivenBlocks();
    const [peer, other] = [new Served(given), new Served(given)];
    other.want(50);
    await other.giveAll();
    const older = Array.from({ length: MAX_PASSED_BY }, (_, at) => at);
    for (const block of [...older, 50, 51]) peer.want(block);
    expect(await peer.giveAll()).toEqual([...older, 51, 50]);
  });

  it("keep no request waiting for more than a few younger ones", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 0, max: 39 }), { maxLength: 40 }), async (before) => {
        const given = new GivenBlocks();
        const other = new Served(given);
        for (const block of before) {
          other.want(block);
          await other.give();
        }
        const peer = new Served(given);
        const order: number[] = [];
        for (let block = 0; block < 40; block++) {
          peer.want(block);
          if (block >= 4) order.push((await peer.give()) as number);
        }
        order.push(...(await peer.giveAll()));
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, at) => at));
        for (const [at, block] of order.entries()) {
          const younger = order.slice(0, at).filter((earlier) => earlier > block);
          expect(younger.length).toBeLessThanOrEqual(MAX_PASSED_BY + 4);
        }
      }),
      { numRuns: 30 },
    );
  });
});

let peerCount = 0;

interface Read {
  block: number;
  signal: AbortSignal;
  end(bytes: Uint8Array | undefined): void;
  fail(reason: Error): void;
}

/** Knows which of its buffers are in use. */
class CountedBuffers extends ChunkBuffers {
  readonly inUse = new Set<Uint8Array>();

  override take(): Uint8Array {
    const buffer = super.take();
    this.inUse.add(buffer);
    return buffer;
  }

  override give(buffer: Uint8Array): void {
    if (!this.inUse.delete(buffer)) throw new Error("a buffer that nobody has");
    super.give(buffer);
  }
}

/** Reads of a peer that is served, which end when they are told to. */
class Reading {
  readonly answers: Answers;
  readonly reads: Read[] = [];
  readonly buffers = new CountedBuffers();
  readonly errors: unknown[] = [];
  readonly outlet = new Outlet(
    () => ({ isWritable: true, send: () => this.sends++ }),
    1,
    new Watchdog(new HandClock()),
  );
  sends = 0;

  constructor(readAhead = new ReadAhead(), peerId = `peer ${peerCount++}`) {
    this.answers = new Answers({
      source: {
        buffers: this.buffers,
        readBlock: (cid, signal) =>
          new Promise((end, fail) => {
            this.reads.push({ block: cid.multihash.digest[0] as number, signal, end, fail });
          }),
        shares: () => true,
        doubt: () => {},
        haves: async function* () {},
      },
      held: readAhead.of(peerId),
      given: new GivenBlocks(),
      onNext: () => {},
      onSourceError: (error) => this.errors.push(error),
    });
    for (let block = 0; block < READ_AHEAD_BLOCKS + 2; block++) this.want(block, 1);
  }

  /** The request has the number of its block. */
  want(block: number, priority: WantMessage["priority"]): void {
    const digest = new Uint8Array(32).fill(block);
    const asked = { type: "want", codec: 0x55, digest, maxBytes: 1, priority } as const;
    this.answers.add({ ...asked, requestId: block }, this.outlet);
  }

  /** So many that were begun first are at hand. */
  async bring(count: number): Promise<void> {
    for (const { end } of this.reads.slice(0, count)) end(new Uint8Array(1));
    await new Promise(setImmediate);
  }

  /** Numbers of the blocks at hand, the next first. */
  get atHand(): number[] {
    return this.answers.read.map(({ want }) => want.requestId);
  }

  withdraw(requestId: number): void {
    this.answers.withdraw(({ want }) => want.requestId === requestId, "x");
  }
}

/** Blocks that may be held beyond the first of each peer; takes them all. */
function freeBlocks(readAhead: ReadAhead): number {
  let count = 0;
  while (readAhead.tryTake()) count += 1;
  return count;
}

/** Every block that is read is sent, one after the other, and those that follow too. */
async function answerAll({ reads, answers }: Reading): Promise<void> {
  for (let at = 0; at < reads.length; at++) {
    reads[at]?.end(new Uint8Array(1));
    await new Promise(setImmediate);
    for (const read of answers.read) answers.drop(read);
    answers.readOn();
  }
}

describe("reading ahead", () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

  it("goes no further when a request is withdrawn that was not read, and on when one was", async () => {
    const peer = new Reading();
    expect(peer.reads.map(({ block }) => block)).toEqual(numbers(READ_AHEAD_BLOCKS));
    peer.withdraw(READ_AHEAD_BLOCKS + 1);
    expect(peer.reads).toHaveLength(READ_AHEAD_BLOCKS);
    peer.withdraw(0);
    peer.reads[0]?.end(undefined);
    await new Promise(setImmediate);
    expect(peer.reads.map(({ block }) => block)).toEqual(numbers(READ_AHEAD_BLOCKS + 1));
    expect(peer.sends).toBe(0);
  });

  it("goes on when a request is withdrawn whose block is at hand", async () => {
    const peer = new Reading();
    await peer.bring(1);
    peer.withdraw(0);
    expect(peer.reads.map(({ block }) => block)).toEqual(numbers(READ_AHEAD_BLOCKS + 1));
    expect(peer.buffers.inUse.size).toBe(READ_AHEAD_BLOCKS);
  });

  it("calls no failure of the source what was given up", async () => {
    const peer = new Reading();
    peer.withdraw(0);
    for (const { fail } of peer.reads.slice(0, 2)) fail(new Error("the disk is gone"));
    await new Promise(setImmediate);
    expect([peer.errors.length, peer.sends]).toEqual([1, 1]);
  });

  it("is no further for a peer that withdraws what is being read, which not every medium stops", async () => {
    const readAhead = new ReadAhead();
    const peer = new Reading(readAhead);
    for (let request = 0; request < 200; request++) {
      peer.withdraw(request);
      peer.want(request + READ_AHEAD_BLOCKS + 2, 1);
    }
    expect(peer.reads).toHaveLength(READ_AHEAD_BLOCKS);
    peer.answers.close(new SharingError("peer_lost", "x"));
    for (const read of peer.reads) read.end(new Uint8Array(1));
    await new Promise(setImmediate);
    expect(peer.reads).toHaveLength(READ_AHEAD_BLOCKS);
    expect(freeBlocks(readAhead)).toBe(SHARED_READ_AHEAD_BLOCKS);
  });

  it.each([
    ["comes", (read: Read) => read.end(new Uint8Array(1))],
    ["is withdrawn while the medium reads it, which stops", (read: Read) => read.fail(new Error("stopped"))],
  ])("waits once much was read in vain, though it %s, and goes on by one as time passes", async (_, end) => {
    const peer = new Reading();
    for (let block = 0; block < MAX_READ_IN_VAIN; block++) {
      const [read] = peer.reads.slice(block);
      if (read?.end === undefined) throw new Error("nothing is read");
      peer.want(block + READ_AHEAD_BLOCKS + 2, 1);
      peer.withdraw(block);
      end(read);
      await new Promise(setImmediate);
    }
    const readCount = peer.reads.length;
    peer.want(200, 1);
    expect(peer.reads).toHaveLength(readCount);
    peer.answers.onTick();
    expect(peer.reads).toHaveLength(readCount + 1);
  });

  it("makes way at once for what a reader waits for, in place of one that is being read", async () => {
    const readAhead = new ReadAhead();
    const peer = new Reading(readAhead);
    peer.want(20, 2);
    peer.want(21, 2);
    expect(peer.reads.map(({ block }) => block)).toEqual([...numbers(READ_AHEAD_BLOCKS), 20]);
    peer.reads[READ_AHEAD_BLOCKS - 1]?.end(new Uint8Array(1));
    await new Promise(setImmediate);
    expect(peer.reads.map(({ block }) => block)).toEqual([...numbers(READ_AHEAD_BLOCKS), 20, 21]);
    expect(peer.reads.filter(({ signal }) => !signal.aborted)).toHaveLength(READ_AHEAD_BLOCKS);
    await answerAll(peer);
    expect(peer.answers.count).toBe(0);
    expect(freeBlocks(readAhead)).toBe(SHARED_READ_AHEAD_BLOCKS);
  });

  it("puts back for a reader what is at hand, while one still runs that has made way before", async () => {
    const peer = new Reading();
    await peer.bring(3);
    peer.want(20, 2);
    peer.want(21, 2);
    expect(peer.reads.map(({ block }) => block)).toEqual([...numbers(READ_AHEAD_BLOCKS), 20, 21]);
    expect(peer.atHand).toEqual([0, 1]);
  });

  it("gives the memory back once of what made way twice, at hand and when it was read again", async () => {
    const peer = new Reading();
    await peer.bring(READ_AHEAD_BLOCKS);
    peer.want(20, 2);
    peer.withdraw(20);
    peer.reads.at(-1)?.end(undefined);
    await new Promise(setImmediate);
    expect(peer.reads.at(-1)?.block).toBe(READ_AHEAD_BLOCKS - 1);
    peer.want(21, 2);
    expect(peer.buffers.inUse.size).toBe(READ_AHEAD_BLOCKS + 1);
  });

  it("begins at once with what a reader has begun to wait for, each time", async () => {
    const peer = new Reading();
    peer.answers.prioritize(READ_AHEAD_BLOCKS + 1, 2);
    await Promise.resolve();
    expect(peer.reads.at(-1)?.block).toBe(READ_AHEAD_BLOCKS + 1);
    await peer.bring(READ_AHEAD_BLOCKS + 1);
    peer.answers.prioritize(READ_AHEAD_BLOCKS, 2);
    await Promise.resolve();
    expect(peer.reads.at(-1)?.block).toBe(READ_AHEAD_BLOCKS);
  });

  it("puts back for others what became less urgent and is at hand, unless it is half sent", async () => {
    const peer = new Reading();
    await peer.bring(READ_AHEAD_BLOCKS);
    const begun = peer.answers.read[2];
    if (begun !== undefined) begun.sentBytes = 1;
    for (const requestId of [1, 2]) peer.answers.prioritize(requestId, 0);
    await Promise.resolve();
    expect(peer.atHand).toEqual([0, 3, 4, 5, 2]);
    expect(peer.reads.at(-1)?.block).toBe(READ_AHEAD_BLOCKS);
    expect([peer.reads.length, peer.buffers.inUse.size]).toEqual([READ_AHEAD_BLOCKS + 1, READ_AHEAD_BLOCKS]);
  });

  it("gives up for a reader what is least urgent of all that is being read", () => {
    const peer = new Reading();
    for (const requestId of [READ_AHEAD_BLOCKS, READ_AHEAD_BLOCKS + 1]) peer.withdraw(requestId);
    peer.answers.prioritize(1, 0);
    peer.want(20, 2);
    expect(peer.reads.flatMap(({ block, signal }) => (signal.aborted ? [block] : []))).toEqual([1]);
  });

  it("counts what still runs for the conversation before, and goes on when that ends", async () => {
    const readAhead = new ReadAhead();
    const before = new Reading(readAhead, "peer");
    before.want(20, 2);
    before.answers.close(new SharingError("peer_lost", "x"));
    const peer = new Reading(readAhead, "peer");
    expect(peer.reads).toEqual([]);
    for (let at = 0; at < READ_AHEAD_BLOCKS - 1; at++) {
      before.reads[at]?.end(new Uint8Array(1));
      await new Promise(setImmediate);
      expect(peer.reads.map(({ block }) => block)).toEqual(numbers(at + 1));
    }
    // One still runs whose place a more urgent one took, and so no other gives its place.
    peer.want(20, 2);
    expect(peer.reads).toHaveLength(READ_AHEAD_BLOCKS - 1);
    before.reads[READ_AHEAD_BLOCKS - 1]?.end(undefined);
    await new Promise(setImmediate);
    expect(peer.reads.map(({ block }) => block)).toEqual([...numbers(READ_AHEAD_BLOCKS - 1), 20]);
    peer.answers.close(new SharingError("peer_lost", "x"));
    for (const read of [...before.reads, ...peer.reads]) read.end(undefined);
    await new Promise(setImmediate);
    expect(freeBlocks(readAhead)).toBe(SHARED_READ_AHEAD_BLOCKS);
  });

  it("counts a peer among the holders until nothing is read for it any more", async () => {
    const readAhead = new ReadAhead();
    const peer = new Reading(readAhead, "peer");
    peer.want(20, 2);
    peer.answers.close(new SharingError("peer_lost", "x"));
    const [ousted, ...others] = [
      peer.reads[READ_AHEAD_BLOCKS - 1],
      ...peer.reads.slice(0, READ_AHEAD_BLOCKS - 1),
      peer.reads[READ_AHEAD_BLOCKS],
    ];
    for (const read of others) read?.end(undefined);
    await new Promise(setImmediate);
    expect(readAhead.holders()).toEqual(["peer"]);
    ousted?.end(undefined);
    await new Promise(setImmediate);
    expect(readAhead.holders()).toEqual([]);
  });

  it("remembers so many peers, of those that hold nothing the latest", () => {
    const readAhead = new ReadAhead();
    new Reading(readAhead, "holder");
    const [holder, first, second] = ["holder", "first", "second"].map((id) => readAhead.of(id));
    for (let count = 3; count < MAX_REMEMBERED_PEERS; count++) readAhead.of(`other ${count}`);
    expect(readAhead.of("first")).toBe(first);
    readAhead.of("one more");
    expect(readAhead.of("second")).not.toBe(second);
    expect(readAhead.of("holder")).toBe(holder);
    expect(readAhead.of("first")).toBe(first);
  });

  it("goes on when a block is missing, of which the peer is told", async () => {
    const peer = new Reading();
    for (let at = 0; at < READ_AHEAD_BLOCKS + 2; at++) {
      peer.reads[at]?.end(undefined);
      await new Promise(setImmediate);
    }
    expect([peer.reads.length, peer.sends, peer.answers.count]).toEqual([
      READ_AHEAD_BLOCKS + 2,
      READ_AHEAD_BLOCKS + 2,
      0,
    ]);
  });

  it("gives back all that it took when the peer goes, or has all", async () => {
    const readAhead = new ReadAhead();
    const gone = new Reading(readAhead);
    await gone.bring(2);
    gone.answers.close(new SharingError("peer_lost", "x"));
    expect(gone.reads.map(({ signal }) => signal.aborted)).toEqual(
      numbers(READ_AHEAD_BLOCKS).map(() => true),
    );
    for (const read of gone.reads) read.end(new Uint8Array(1));
    const peer = new Reading(readAhead);
    await answerAll(peer);
    expect(peer.reads).toHaveLength(READ_AHEAD_BLOCKS + 2);
    expect([gone, peer].map(({ answers, buffers }) => [answers.count, buffers.inUse.size])).toEqual([
      [0, 0],
      [0, 0],
    ]);
    expect(freeBlocks(readAhead)).toBe(SHARED_READ_AHEAD_BLOCKS);
  });

  it("leaves each peer its first block, though others hold all the rest", () => {
    const readAhead = new ReadAhead();
    freeBlocks(readAhead);
    expect(new Reading(readAhead).reads).toHaveLength(1);
  });
});

describe("given blocks", () => {
  it("are forgotten when too many were given since", () => {
    const given = new GivenBlocks();
    given.give("first");
    for (let count = 1; count < MAX_REMEMBERED_BLOCKS; count++) given.give(`${count}`);
    expect(given.givenAt("first")).toBe(1);
    given.give("one more");
    expect(given.givenAt("first")).toBe(0);
    expect(given.givenAt("1")).toBe(2);
  });
});
