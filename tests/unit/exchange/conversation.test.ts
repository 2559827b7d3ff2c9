/** Both sides of a conversation, joined by a line in memory: what comes, what is missing, and how it ends. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import {
  ANSWERS_UNDER_WAY,
  IN_FLIGHT_SMALL,
  READ_AHEAD_BLOCKS,
  STALL_MS,
  TICK_MS,
  WANTS_AT_ONCE,
} from "../../../src/exchange/limits.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import {
  type Block,
  blockOf,
  connect,
  type LoopbackNode,
  type LoopbackOptions,
  MIB,
  makeBlocks,
  sourceOf,
  startNode,
  wanted,
} from "./loopback.ts";
import { type ScriptedPeer, startScriptedServer } from "./scripted-peer.ts";
import { type TestPair, testNode, testPair } from "./test-node.ts";

const never = new AbortController().signal;

/** A server with these blocks and a session with it. */
async function served(blocks: Block[], options: LoopbackOptions = {}): Promise<TestPair> {
  return testPair(sourceOf(blocks), { asker: options });
}

/** A session with a hand-written server, and the server's end of it once it has heard something. */
async function scripted(
  options: LoopbackOptions = {},
): Promise<{ asker: LoopbackNode; session: PeerSession; peer: Promise<ScriptedPeer> }> {
  const peer = deferred<ScriptedPeer>();
  const server = await startScriptedServer(peer.resolve);
  onTestFinished(() => server.stop());
  const asker = await testNode(options);
  await connect(asker, { libp2p: server });
  const session = await asker.exchange.openSession(server.peerId.toString(), never);
  return { asker, session, peer: peer.promise };
}

function answer(peer: ScriptedPeer, requestId: number, bytes: Uint8Array): void {
  peer.send({ type: "block", requestId, sizeBytes: bytes.length });
  peer.sendData(requestId, bytes);
}

describe("a conversation between two nodes", () => {
  it("brings blocks of every size whole", async () => {
    const blocks = await Promise.all(
      [0, 1, 65_535, 65_536, 65_537, 262_145, MIB].map(async (size, index) =>
        blockOf(new Uint8Array(size).fill(index + 1)),
      ),
    );
    const { session, server, asker } = await served(blocks);
    const parts = blocks.map((): number[] => []);
    const received = await Promise.all(
      blocks.map((block, index) =>
        session.fetch(wanted(block, { onBytes: (bytes) => void parts[index]?.push(bytes.length) })),
      ),
    );
    for (const [index, block] of blocks.entries()) {
      expect(Buffer.compare(received[index] as Uint8Array, block.bytes)).toBe(0);
      expect(parts[index]?.reduce((sum, bytes) => sum + bytes, 0)).toBe(block.bytes.length);
    }
    expect(parts.at(-1)?.length).toBeGreaterThan(1);
    const sum = blocks.reduce((bytes, block) => bytes + block.bytes.length, 0);
    expect(asker.exchange.trafficOf(server.peerId)).toMatchObject({ downloadedBytes: sum, uploadedBytes: 0 });
    expect(server.exchange.trafficOf(asker.peerId)).toMatchObject({ downloadedBytes: 0, uploadedBytes: sum });
    expect(server.exchange.traffic().uploadBytesPerSecond).toBeGreaterThan(0);
    expect(server.exchange.trafficOf("a stranger")).toMatchObject({
      uploadedBytes: 0,
      downloadBytesPerSecond: 0,
    });
  });

  it("says that a block is missing when the peer lacks it or it is longer than allowed", async () => {
    const [held, lacked] = (await makeBlocks(2, 100)) as [Block, Block];
    const { session } = await served([held]);
    await expect(session.fetch(wanted(lacked))).rejects.toMatchObject({ name: "block_not_found" });
    await expect(session.fetch(wanted(held, { maxBytes: 99 }))).rejects.toMatchObject({
      name: "block_not_found",
    });
    await expect(session.fetch(wanted(held))).resolves.toHaveLength(100);
  });

  it("takes the buffer for an answer once that begins, so that silence holds none", async () => {
    const { session, peer } = await scripted();
    const [block] = (await makeBlocks(1, 100)) as [Block];
    const buffers: Uint8Array[] = [];
    const into = () => {
      const buffer = new Uint8Array(100);
      buffers.push(buffer);
      return buffer;
    };
    const silent = session.fetch(wanted(block, { into }));
    const answered = session.fetch(wanted(block, { into }));
    const server = await peer;
    await server.until(() => server.received.length === 2);
    expect(buffers).toHaveLength(0);
    answer(server, 1, block.bytes);
    expect((await answered).buffer).toBe(buffers[0]?.buffer);
    expect(buffers).toHaveLength(1);
    answer(server, 0, block.bytes);
    expect((await silent).buffer).toBe(buffers[1]?.buffer);
  });

  it("answers missing when reading a block fails, and tells its own node why", async () => {
    const [block] = (await makeBlocks(1, 100)) as [Block];
    const errors: unknown[] = [];
    const server = await testNode({ onSourceError: (error) => errors.push(error) });
    server.exchange.serve({ ...sourceOf([]), readBlock: () => Promise.reject(new Error("disk on fire")) });
    const asker = await testNode();
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "block_not_found" });
    expect(errors).toMatchObject([{ message: "disk on fire" }]);
  });

  it.each([
    ["tcp", 16, 16, WANTS_AT_ONCE],
    ["webrtc", 3, 10, 1],
    ["relay", 3, 10, 1],
  ] as const)(
    "has over %s at most %i requests in flight, the rest wait",
    async (transport, limit, worthHaving, atOnce) => {
      const blocks = await makeBlocks(limit + 3 + atOnce, 10);
      const { session, peer } = await scripted({ transport });
      expect(session.maxInFlight).toBe(worthHaving);
      const fetches = blocks.map((block) => session.fetch(wanted(block)));
      const server = await peer;
      await server.untilReceived("want", limit);
      expect(server.received).toHaveLength(limit);
      for (const [requestId, block] of blocks.slice(0, atOnce).entries())
        answer(server, requestId, block.bytes);
      await fetches[atOnce - 1];
      await server.untilReceived("want", limit + atOnce);
      expect(server.received).toHaveLength(limit + atOnce);
      for (let requestId = atOnce; requestId < blocks.length; requestId += 1) {
        await server.untilReceived("want", requestId + 1);
        answer(server, requestId, (blocks[requestId] as Block).bytes);
      }
      await Promise.all(fetches);
    },
  );

  it("asks on where what is under way is called lost and wanted no longer", async () => {
    const blocks = await makeBlocks(ANSWERS_UNDER_WAY + 1, 10);
    const last = blocks.pop() as Block;
    const { session, peer } = await scripted({ posts: new ExpectedPosts() });
    const leave = new AbortController();
    const left = blocks.map((block) => session.fetch(wanted(block, { signal: leave.signal })));
    const server = await peer;
    await server.untilReceived("want", blocks.length);
    server.send({ type: "post_ask" });
    await server.untilReceived("post_ticket");
    leave.abort(new Error("left"));
    await Promise.allSettled(left);
    const fetched = session.fetch(wanted(last));
    await server.untilReceived("cancel", blocks.length);
    server.send(...blocks.map((_, requestId) => ({ type: "unposted", requestId }) as const));
    await server.untilReceived("want", blocks.length + 1);
    answer(server, blocks.length, last.bytes);
    expect(await fetched).toEqual(last.bytes);
  });

  it("asks for what a reader waits for before what was asked for earlier", async () => {
    const earlier = await makeBlocks(IN_FLIGHT_SMALL + 1, 10);
    const [urgent] = (await makeBlocks(1, 11)) as [Block];
    const { session, peer } = await scripted({ transport: "webrtc" });
    const fetches = earlier.map((block) => session.fetch(wanted(block, { priority: 0 })));
    fetches.push(session.fetch(wanted(urgent, { priority: 2 })));
    const server = await peer;
    const inTurn = [...earlier.slice(0, IN_FLIGHT_SMALL), urgent, ...earlier.slice(IN_FLIGHT_SMALL)];
    for (const [requestId, { cid, bytes }] of inTurn.entries()) {
      await server.untilReceived("want", requestId + 1);
      const wants = server.received.filter(({ type }) => type === "want");
      expect(wants[requestId]).toMatchObject({ requestId, digest: cid.multihash.digest });
      answer(server, requestId, bytes);
    }
    await Promise.all(fetches);
  });

  it("reads and sends an urgent block before others that wait at the server", async () => {
    const blocks = await makeBlocks(9, MIB);
    const urgent = blocks.pop() as Block;
    const order: string[] = [];
    const gate = deferred();
    const urgentAsked = deferred();
    const [server, asker] = await Promise.all([testNode(), testNode()]);
    const source = sourceOf([...blocks, urgent]);
    server.exchange.serve({
      ...source,
      readBlock: async (cid, signal) => {
        if (cid.equals(urgent.cid)) urgentAsked.resolve();
        await gate.promise;
        return source.readBlock(cid, signal);
      },
    });
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    const fetches = blocks.map(async (block, index) => {
      await session.fetch(wanted(block, { priority: 0 }));
      order.push(`background ${index}`);
    });
    fetches.push(session.fetch(wanted(urgent, { priority: 2 })).then(() => void order.push("urgent")));
    await urgentAsked.promise;
    gate.resolve();
    await Promise.all(fetches);
    expect(order.indexOf("urgent")).toBeLessThan(3);
    expect(order).toHaveLength(9);
  });

  it("brings first what has become urgent since it was asked for", async () => {
    const blocks = await makeBlocks(16, 1000);
    const [gate, isHeard, order] = [deferred<void>(), deferred<void>(), [] as number[]];
    const source = sourceOf(blocks);
    const { session } = await testPair({
      ...source,
      readBlock: async (cid, signal) => {
        await gate.promise;
        return source.readBlock(cid, signal);
      },
      haves: () => {
        isHeard.resolve();
        return source.haves("", 1, never);
      },
    });
    const fetches = blocks.map(async (block, index) => {
      await session.fetch(wanted(block));
      order.push(index);
    });
    for (const { cid } of blocks.slice(14)) session.prioritize(cid, 2);
    const news = session.haves(String(blocks[0]?.cid), 1, never)[Symbol.asyncIterator]().next();
    await isHeard.promise;
    gate.resolve();
    await Promise.all([news, ...fetches]);
    expect(order.indexOf(14)).toBeLessThan(READ_AHEAD_BLOCKS);
    expect(order.indexOf(15)).toBeLessThan(READ_AHEAD_BLOCKS + 1);
  });

  it("ends a fetch with the signal's reason, and the server stops reading for it", async () => {
    const [slow, other] = (await makeBlocks(2, 1000)) as [Block, Block];
    const [server, asker] = await Promise.all([testNode(), testNode()]);
    const reading = deferred<AbortSignal>();
    const source = sourceOf([other]);
    server.exchange.serve({
      ...source,
      readBlock: (cid, signal) => {
        if (cid.equals(other.cid)) return source.readBlock(cid, signal);
        reading.resolve(signal);
        return untilAborted(signal);
      },
    });
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    const caller = new AbortController();
    const fetching = session.fetch(wanted(slow, { signal: caller.signal }));
    const signal = await reading.promise;
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    caller.abort(new Error("no longer wanted"));
    await expect(fetching).rejects.toThrow("no longer wanted");
    await aborted;
    await expect(session.fetch(wanted(other))).resolves.toHaveLength(1000);
    expect(asker.violations).toEqual([]);
  });

  it("never asks for what was cancelled before its turn, and for the others in their order", async () => {
    const blocks = await makeBlocks(IN_FLIGHT_SMALL + 3, 10);
    const { session, peer } = await scripted({ transport: "relay" });
    const caller = new AbortController();
    const dropped = IN_FLIGHT_SMALL;
    const fetches = blocks.map((block, index) =>
      session.fetch(wanted(block, index === dropped ? { signal: caller.signal } : {})),
    );
    const server = await peer;
    await server.untilReceived("want", IN_FLIGHT_SMALL);
    caller.abort(new Error("no longer wanted"));
    await expect(fetches[dropped]).rejects.toThrow("no longer wanted");
    const kept = blocks.filter((_, index) => index !== dropped);
    for (const [requestId, block] of kept.entries()) {
      await server.untilReceived("want", requestId + 1);
      answer(server, requestId, block.bytes);
    }
    expect(await Promise.all(fetches.toSpliced(dropped, 1))).toEqual(kept.map(({ bytes }) => bytes));
    expect(server.received.map(({ type }) => type)).toEqual(kept.map(() => "want"));
  });

  it("throws away what still comes for a cancelled request", async () => {
    const [dropped, next] = (await makeBlocks(2, 1000)) as [Block, Block];
    const { asker, session, peer } = await scripted();
    const caller = new AbortController();
    const fetching = session.fetch(wanted(dropped, { signal: caller.signal }));
    const server = await peer;
    await server.untilReceived("want");
    server.send({ type: "block", requestId: 0, sizeBytes: 1000 });
    server.sendData(0, dropped.bytes.subarray(0, 400));
    caller.abort(new Error("no longer wanted"));
    await expect(fetching).rejects.toThrow("no longer wanted");
    await server.untilReceived("cancel");
    server.sendData(0, dropped.bytes.subarray(400, 900));
    server.send({ type: "cancelled", requestId: 0 });
    const following = session.fetch(wanted(next));
    await server.untilReceived("want", 2);
    answer(server, 1, next.bytes);
    await expect(following).resolves.toEqual(next.bytes);
    expect(asker.exchange.traffic().downloadedBytes).toBeLessThanOrEqual(1400);
  });

  it("shares one stream among all who hold the peer", async () => {
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const { session, server, asker } = await served([block]);
    const second = await asker.exchange.openSession(server.peerId, never);
    const streams = () =>
      asker.libp2p
        .getConnections()
        .flatMap((connection) => connection.streams.filter(({ protocol }) => protocol.startsWith("/shoal/")));
    expect(streams()).toHaveLength(1);
    session.close();
    await expect(second.fetch(wanted(block))).resolves.toEqual(block.bytes);
  });

  it("closes a conversation that nobody has held for a while", async () => {
    const clock = new HandClock();
    const { session, peer } = await scripted({ clock });
    const server = await peer;
    session.close();
    const ended = new Promise((resolve) => server.stream.addEventListener("remoteCloseWrite", resolve));
    await clock.pass(31_000);
    await ended;
    await expect(session.fetch(wanted((await makeBlocks(1, 4))[0] as Block))).rejects.toMatchObject({
      name: "peer_lost",
    });
  });

  it("loses its fetches when the peer goes, and finds the peer again when it is back", async () => {
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const { session, peer } = await scripted();
    const fetching = session.fetch(wanted(block));
    const server = await peer;
    await server.untilReceived("want");
    server.stream.abort(new Error("gone"));
    await expect(fetching).rejects.toMatchObject({ name: "peer_lost" });
    await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "peer_lost" });
  });

  it("is refused by a node that serves nothing yet, and served when it comes again", async () => {
    const [block] = (await makeBlocks(1, 100)) as [Block];
    const [server, asker] = await Promise.all([testNode(), testNode()]);
    await connect(asker, server);
    const ask = async () => {
      const session = await asker.exchange.openSession(server.peerId, never);
      return session.fetch(wanted(block));
    };
    await expect(ask()).rejects.toMatchObject({ name: "peer_lost" });
    server.exchange.serve(sourceOf([block]));
    expect(await ask()).toEqual(block.bytes);
  });

  it("cannot open a session with a peer that is not there", async () => {
    const [asker, gone] = await Promise.all([testNode(), startNode()]);
    await gone.stop();
    await expect(asker.exchange.openSession(gone.peerId, never)).rejects.toMatchObject({
      name: "peer_unreachable",
    });
  });

  it("rejects what is under way when it stops, and opens nothing more", async () => {
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const [server, asker] = await Promise.all([testNode(), testNode()]);
    const reading = deferred();
    server.exchange.serve({
      ...sourceOf([]),
      readBlock: () => {
        reading.resolve();
        return new Promise(() => {});
      },
    });
    await connect(asker, server);
    const session = await asker.exchange.openSession(server.peerId, never);
    const fetching = session.fetch(wanted(block));
    await reading.promise;
    asker.exchange.stop();
    await expect(fetching).rejects.toMatchObject({ name: "stopped" });
    await expect(asker.exchange.openSession(server.peerId, never)).rejects.toMatchObject({ name: "stopped" });
  });
});

describe("a peer that sends nothing", () => {
  it("is lost after half a minute, and not because this process was asleep", async () => {
    const clock = new HandClock();
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const { session, peer } = await scripted({ clock });
    let isOver = false;
    const fetching = session.fetch(wanted(block));
    const outcome = fetching
      .catch((error) => error)
      .finally(() => {
        isOver = true;
      });
    await (await peer).untilReceived("want");
    await clock.suspend(3_600_000);
    await clock.pass(25_000);
    expect(isOver).toBe(false);
    await clock.pass(10_000);
    expect(await outcome).toMatchObject({ name: "peer_lost" });
  });

  it("is not lost while nothing is asked of it", async () => {
    const clock = new HandClock();
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const { session, peer } = await scripted({ clock });
    const server = await peer;
    await clock.pass(120_000);
    const fetching = session.fetch(wanted(block));
    await server.untilReceived("want");
    await clock.pass(STALL_MS - 2 * TICK_MS);
    answer(server, 0, block.bytes);
    await expect(fetching).resolves.toEqual(block.bytes);
  });

  it("is not lost while parts of an answer come, however slowly", async () => {
    const clock = new HandClock();
    const [block] = (await makeBlocks(1, 5)) as [Block];
    const { session, peer } = await scripted({ clock });
    const server = await peer;
    let received = 0;
    const onBytes = (bytes: Uint8Array) => {
      received += bytes.length;
    };
    const fetching = session.fetch(wanted(block, { onBytes }));
    await server.untilReceived("want");
    server.send({ type: "block", requestId: 0, sizeBytes: 5 });
    for (const byte of block.bytes) {
      await clock.pass(STALL_MS - 2 * TICK_MS);
      const before = received;
      server.sendData(0, Uint8Array.of(byte));
      await expect.poll(() => received).toBe(before + 1);
    }
    await expect(fetching).resolves.toEqual(block.bytes);
  });
});
