/** Answers that are posted: between two exchanges, with what may befall a post, and with peers that break the rules. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import {
  FIRST_POST_MS,
  MAX_DATA_BYTES,
  MAX_UNPOSTED,
  POSTS_AT_ONCE,
  STALL_MS,
} from "../../../src/exchange/limits.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import type { Message } from "../../../src/exchange/wire/messages.ts";
import { isSharingError } from "../../../src/sharing/errors.ts";
import { allRejected } from "../../all-rejected.ts";
import { deferred } from "../../deferred.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { type Block, connect, type LoopbackOptions, MIB, makeBlocks, sourceOf, wanted } from "./loopback.ts";
import { askByHand, type ScriptedPeer, startScriptedServer } from "./scripted-peer.ts";
import { expectEqual } from "./side-path.ts";
import { fetchAll, type TestPair, testNode, testPair } from "./test-node.ts";
import { TestPostPath, takenBy, untilPosted } from "./test-posts.ts";

const never = new AbortController().signal;

interface Pair extends TestPair {
  path: TestPostPath;
  lost: unknown[];
}

/** A server that posts, and an asker to whom it can. */
async function pair(
  blocks: Block[],
  options: { server?: LoopbackOptions; asker?: LoopbackOptions; stored?: Block[] } = {},
): Promise<Pair> {
  const posts = new ExpectedPosts();
  const path = new TestPostPath(options.stored ?? blocks, takenBy(posts));
  const lost: unknown[] = [];
  const onPostLost = (_: string, reason: unknown) => void lost.push(reason);
  const nodes = await testPair(sourceOf(blocks), {
    server: { postPath: path, onPostLost, ...options.server },
    asker: { posts, ...options.asker },
  });
  return { ...nodes, path, lost };
}

describe("posted answers", () => {
  it("are whole, each counted once at both ends", async () => {
    const blocks = await makeBlocks(40, MIB / 2);
    const both = await pair(blocks);
    await untilPosted(both, blocks[0] as Block);
    const { session, path, server, asker, lost } = both;
    const before = path.posted.length;
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(path.posted.length - before).toBe(40);
    await expect
      .poll(() => server.exchange.trafficOf(asker.peerId).uploadedBytes)
      .toBe(asker.exchange.traffic().downloadedBytes);
    expect([...lost, ...asker.violations, ...server.violations]).toEqual([]);
  });

  it("are for large blocks alone", async () => {
    const [large] = (await makeBlocks(1, MIB)) as [Block];
    const [small] = (await makeBlocks(1, MAX_DATA_BYTES)) as [Block];
    const both = await pair([large, small]);
    await untilPosted(both, large);
    const before = both.path.posted.length;
    expectEqual([await both.session.fetch(wanted(small))], [small]);
    expect(both.path.posted).toHaveLength(before);
  });

  it("come on the stream where the block can't be posted, and so does word of what is missing", async () => {
    const [stored, elsewhere, lacked] = (await makeBlocks(3, MIB)) as [Block, Block, Block];
    const both = await pair([stored, elsewhere], { stored: [stored] });
    await untilPosted(both, stored);
    expectEqual(await fetchAll(both.session, [elsewhere, stored]), [elsewhere, stored]);
    await expect(both.session.fetch(wanted(lacked))).rejects.toMatchObject({ name: "block_not_found" });
    expect(both.path.posted.some(({ cid }) => cid.equals(lacked.cid))).toBe(false);
    expect(both.lost).toEqual([]);
  });

  it("that break off are asked for again, and others are posted", async () => {
    const blocks = await makeBlocks(24, MIB);
    const both = await pair(blocks);
    const { session, path, lost, asker, server } = both;
    await untilPosted(both, blocks[0] as Block);
    await expect.poll(() => path.arrived).toBeGreaterThan(0);
    let cuts = 0;
    path.bend((straight) => (answer, { sizeBytes, pieces }, signal) => {
      const isCut = path.arrived >= 6 && cuts++ === 0;
      return straight(answer, { sizeBytes, pieces: isCut ? pieces.slice(0, 5) : pieces }, signal);
    });
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(lost).toMatchObject([{ message: "the posted block ended early" }]);
    expect(path.arrived).toBeGreaterThan(20);
    expect([...asker.violations, ...server.violations]).toEqual([]);
  });

  it("that came whole, though their sender heard nothing of it, are taken once", async () => {
    const blocks = await makeBlocks(12, MIB);
    const both = await pair(blocks);
    await untilPosted(both, blocks[0] as Block);
    both.path.bend((straight) => async (...post) => {
      await straight(...post);
      throw new Error("no answer came");
    });
    expectEqual(await fetchAll(both.session, blocks), blocks);
    expect([...both.asker.violations, ...both.server.violations]).toEqual([]);
  });

  it("are given up where none arrives", async () => {
    const blocks = await makeBlocks(24, MIB);
    const both = await pair(blocks);
    both.path.bend(() => () => Promise.reject(new Error("no way through")));
    await untilPosted(both, blocks[0] as Block);
    expectEqual(await fetchAll(both.session, blocks), blocks);
    expect(both.path.posted.length).toBeLessThanOrEqual(3);
    expect(both.lost).toHaveLength(both.path.posted.length);
  });

  it("are given up soon where the first are swallowed", async () => {
    const given = new AbortController();
    const realTimeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) =>
      ms === FIRST_POST_MS ? given.signal : realTimeout(ms),
    );
    const blocks = await makeBlocks(24, MIB);
    const both = await pair(blocks);
    const swallowed = deferred();
    both.path.bend(() => async (_answer, _body, signal) => {
      swallowed.resolve();
      return await untilAborted(signal);
    });
    const fetches = Promise.all([fetchAll(both.session, blocks), fetchAll(both.session, blocks)]);
    await swallowed.promise;
    given.abort(new Error("too late"));
    for (const fetched of await fetches) expectEqual(fetched, blocks);
    expect(both.lost).toMatchObject(both.path.posted.map(() => ({ message: "too late" })));
  });

  it("are not made under a limit of the rate, which is kept in smaller pieces", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const both = await pair([block], { server: { maxUploadBytesPerSecond: 1000 * MIB } });
    for (let tries = 0; tries < 5; tries += 1) await both.session.fetch(wanted(block));
    expect(both.path.posted).toEqual([]);
    both.server.exchange.setRates({});
    await untilPosted(both, block);
    both.server.exchange.setRates({ maxUploadBytesPerSecond: 1000 * MIB });
    const before = both.path.posted.length;
    expectEqual([await both.session.fetch(wanted(block))], [block]);
    expect(both.path.posted).toHaveLength(before);
  });

  it("that wait as the rate is given a limit come on the stream", async () => {
    const blocks = await makeBlocks(6, MIB / 2);
    const [small] = (await makeBlocks(1, 1000)) as [Block];
    const both = await pair([...blocks, small]);
    const { session, path } = both;
    await untilPosted(both, blocks[0] as Block);
    const held = deferred();
    path.bend((straight) => async (...post) => {
      await held.promise;
      return await straight(...post);
    });
    const before = path.posted.length;
    const fetched = fetchAll(session, blocks);
    // Too small to be posted, and asked for last: once it is here the others wait.
    await session.fetch(wanted(small));
    both.server.exchange.setRates({ maxUploadBytesPerSecond: 1000 * MIB });
    held.resolve();
    expectEqual(await fetched, blocks);
    expect(path.posted.length - before).toBe(POSTS_AT_ONCE);
  });

  it("that were cancelled leave room, whether they wait or are on their way", async () => {
    const blocks = await makeBlocks(8, MIB);
    const both = await pair(blocks);
    const { session, path } = both;
    await untilPosted(both, blocks[0] as Block);
    const [begun, held] = [deferred(), deferred()];
    path.bend((straight) => async (...post) => {
      begun.resolve();
      await held.promise;
      return await straight(...post);
    });
    const leave = new AbortController();
    const left = blocks.map((block) => session.fetch(wanted(block, { signal: leave.signal })));
    await begun.promise;
    leave.abort(new Error("left"));
    await allRejected(left, { message: "left" });
    held.resolve();
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(both.asker.violations).toEqual([]);
  });

  it("are not made where the path leads to another peer, and not where nobody takes them", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const elsewhere = { leadsTo: () => false, post: () => Promise.reject(new Error("to the wrong peer")) };
    for (const options of [{ server: { postPath: elsewhere } }, { asker: { posts: undefined } }]) {
      const { session, path, lost } = await pair([block], options);
      for (let tries = 0; tries < 5; tries += 1) expectEqual([await session.fetch(wanted(block))], [block]);
      expect([...path.posted, ...lost]).toEqual([]);
    }
  });

  it.each(["server", "asker"] as const)("end with the conversation, when the %s ends it", async (end) => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const both = await pair([block]);
    await untilPosted(both, block);
    const aborted = deferred();
    both.path.bend(() => (_answer, _pieces, signal) => {
      signal.addEventListener("abort", () => aborted.resolve());
      both[end].exchange.stop();
      return untilAborted(signal);
    });
    await expect(both.session.fetch(wanted(block))).rejects.toSatisfy((error) =>
      isSharingError(error, "stopped", "peer_lost"),
    );
    await aborted.promise;
  });
});

describe("an asker to whom is posted", () => {
  /** A server written by hand that got its ticket, with a request for each block. */
  async function served(blocks: Block[], options: LoopbackOptions = {}) {
    const posts = new ExpectedPosts();
    const [met, got] = [deferred<ScriptedPeer>(), deferred<string>()];
    const server = await startScriptedServer((peer) => {
      met.resolve(peer);
      void (async () => {
        await peer.untilReceived("want", blocks.length);
        peer.send({ type: "post_ask" });
        await peer.untilReceived("post_ticket");
        const message = peer.received.find(({ type }) => type === "post_ticket");
        if (message?.type === "post_ticket") got.resolve(ticketText(message.ticket));
      })();
    });
    onTestFinished(() => server.stop());
    const asker = await testNode({ posts, ...options });
    await connect(asker, { libp2p: server });
    const session = await asker.exchange.openSession(server.peerId.toString(), never);
    const fetched = fetchAll(session, blocks);
    fetched.catch(() => {});
    return { posts, asker, fetched, session, peer: await met.promise, ticket: await got.promise };
  }

  async function* inPieces(...pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }

  it("refuses, and blames nobody for, a post that it did not ask for", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const { posts, ticket, fetched, asker } = await served([block]);
    const { bytes } = block;
    expect(await posts.take(ticket, 7, MIB, inPieces(bytes))).toBe(false);
    expect(await posts.take(`${ticket}A`, 0, MIB, inPieces(bytes))).toBe(false);
    expect(await posts.take(ticket, 0, MIB + 1, inPieces(bytes))).toBe(false);
    expect(await posts.take(ticket, 0, MIB, inPieces(bytes, bytes))).toBe(false);
    expect(asker.violations).toEqual([]);
    await fetched;
    expect(await posts.take(ticket, 0, MIB, inPieces(bytes))).toBe(false);
  });

  it("takes up a request anew whose post broke off", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const { posts, ticket, fetched, peer } = await served([block]);
    const half = block.bytes.subarray(0, MIB / 2);
    await expect(posts.take(ticket, 0, MIB, inPieces(half))).rejects.toMatchObject({ name: "peer_lost" });
    peer.send({ type: "unposted", requestId: 0 });
    await peer.untilReceived("want", 2);
    expect(peer.received.at(-1)).toMatchObject({ type: "want", requestId: 1 });
    expect(await posts.take(ticket, 0, MIB, inPieces(block.bytes))).toBe(false);
    expect(await posts.take(ticket, 1, MIB, inPieces(block.bytes))).toBe(true);
    expectEqual(await fetched, [block]);
  });

  it("takes a post that comes again, as some proxies send it, when it had broken off", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const { posts, ticket, fetched } = await served([block]);
    const half = block.bytes.subarray(0, MIB / 2);
    await expect(posts.take(ticket, 0, MIB, inPieces(half))).rejects.toMatchObject({ name: "peer_lost" });
    expect(await posts.take(ticket, 0, MIB, inPieces(block.bytes))).toBe(true);
    expectEqual(await fetched, [block]);
  });

  it("waits no longer for a post than for an answer on the stream", async () => {
    const clock = new HandClock();
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const { posts, ticket, fetched } = await served([block], { clock });
    const cut = deferred();
    const slow = async function* () {
      yield block.bytes.subarray(0, 10);
      await cut.promise;
    };
    const taken = posts.take(ticket, 0, MIB, slow());
    await clock.pass(STALL_MS + 2000);
    await expect(fetched).rejects.toMatchObject({ name: "peer_lost" });
    cut.resolve();
    await expect(taken).rejects.toMatchObject({ name: "peer_lost" });
    expect(await posts.take(ticket, 0, MIB, inPieces(block.bytes))).toBe(false);
  });

  it.each<[string, Message[]]>([
    ["asks for two tickets", [{ type: "post_ask" }]],
    ["calls lost what was never asked for", [{ type: "unposted", requestId: 5 }]],
    ["sends what is the asker's to send", [{ type: "post_ticket", ticket: new Uint8Array(16) }]],
    [
      "calls everything lost and posts nothing",
      Array.from({ length: MAX_UNPOSTED + 1 }, () => ({ type: "unposted", requestId: 0 })),
    ],
  ])("takes it for a protocol error when a server %s", async (_, messages) => {
    const { peer, asker, fetched } = await served(await makeBlocks(1, MIB));
    peer.send(...messages);
    await expect(fetched).rejects.toMatchObject({ name: "protocol_error" });
    expect(asker.violations).toHaveLength(1);
  });
});

it.each<[string, LoopbackOptions]>([
  ["does not post", {}],
  ["has not asked", { postPath: { leadsTo: () => true, post: async () => undefined } }],
])("a ticket for a server that %s is a protocol error of the asker", async (_, options) => {
  const [server, asker] = await Promise.all([testNode(options), testNode()]);
  server.exchange.serve(sourceOf([]));
  const peer = await askByHand(asker.libp2p, server.libp2p);
  peer.send({ type: "post_ticket", ticket: new Uint8Array(16) });
  await peer.untilClosed();
  expect(server.violations).toHaveLength(1);
});
