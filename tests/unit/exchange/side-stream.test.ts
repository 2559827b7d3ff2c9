/** Answers on a side stream: between two exchanges, with what may befall it on its way, and with askers that break the rules. */
import { describe, expect, it, onTestFinished } from "vitest";
import {
  MAX_REQUESTS_PER_PEER,
  SIDE_OPEN_MS,
  SIDE_STALL_MS,
  SLOW_READER_MS,
  TICKET_MS,
} from "../../../src/exchange/limits.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { type SidePath, ticketText } from "../../../src/exchange/side-path.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { startSha256 } from "../../../src/headless/blocks/verify-now.ts";
import { LandingChunk } from "../../../src/sharing/download/landing-chunk.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { BlockSource } from "../../../src/sharing/ports.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { deferred } from "../../deferred.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import {
  type Block,
  connect,
  type LoopbackNode,
  type LoopbackOptions,
  MIB,
  makeBlocks,
  sourceOf,
  wanted,
} from "./loopback.ts";
import { askByHand, type ScriptedPeer, startScriptedServer } from "./scripted-peer.ts";
import { expectEqual, TestPath, untilAside } from "./side-path.ts";
import { fetchAll, type TestPair, testNode, testPair } from "./test-node.ts";

const never = new AbortController().signal;

interface Pair extends TestPair {
  path: TestPath;
  lost: unknown[];
}

/** A server that offers side streams, and an asker that can open them. */
async function pair(
  blocks: Block[],
  options: {
    server?: LoopbackOptions;
    asker?: LoopbackOptions;
    source?: BlockSource;
    worthBytes?: number;
  } = {},
): Promise<Pair> {
  const sides = new OfferedSides(options.server?.clock ?? systemClock);
  const path = new TestPath(async (ticket) => sides.redeem(ticket), options.worthBytes);
  const lost: unknown[] = [];
  const onSideLost = (_: string, reason: unknown) => void lost.push(reason);
  const nodes = await testPair(options.source ?? sourceOf(blocks), {
    server: { sides, ...options.server },
    asker: { sidePath: path, onSideLost, ...options.asker },
  });
  return { ...nodes, path, lost };
}

describe("a side stream", () => {
  it("brings the answers whole, each counted once at both ends, and the stream none of them", async () => {
    const blocks = await makeBlocks(40, MIB / 2);
    const both = await pair(blocks);
    await untilAside(both, blocks[0] as Block);
    const { session, path, server, asker, lost } = both;
    const [aside, received] = [path.bytes, asker.exchange.traffic().downloadedBytes];
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(path.bytes - aside).toBeGreaterThan(20 * MIB);
    expect(asker.exchange.traffic().downloadedBytes - received).toBe(20 * MIB);
    expect(server.exchange.trafficOf(asker.peerId).uploadedBytes).toBe(
      asker.exchange.traffic().downloadedBytes,
    );
    expect(path.opened).toHaveLength(1);
    expect([...lost, ...asker.violations, ...server.violations]).toEqual([]);
  });

  it("is opened for a file that is worth it before a chunk is asked for", async () => {
    const [block] = (await makeBlocks(1, 1000)) as [Block];
    const { session, path } = await pair([block], { worthBytes: 8 * MIB });
    for (const chunkCount of [7, 8]) {
      for await (const _ of session.haves(block.cid.toString(), chunkCount, never));
      await session.fetch(wanted(block));
      expect(path.opened).toHaveLength(chunkCount === 8 ? 1 : 0);
    }
  });

  it("brings word of what is missing and of what was cancelled, too", async () => {
    const [held, lacked, slow] = (await makeBlocks(3, MIB)) as [Block, Block, Block];
    const reading = deferred();
    const source = sourceOf([held]);
    const both = await pair([], {
      source: {
        ...source,
        readBlock: (cid, signal) => {
          if (!cid.equals(slow.cid)) return source.readBlock(cid, signal);
          reading.resolve();
          return untilAborted(signal);
        },
      },
    });
    await untilAside(both, held);
    const { session, asker, path } = both;
    await expect(session.fetch(wanted(lacked))).rejects.toMatchObject({ name: "block_not_found" });
    const leave = new AbortController();
    const left = session.fetch(wanted(slow, { signal: leave.signal }));
    await reading.promise;
    const aside = path.bytes;
    leave.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    expectEqual([await session.fetch(wanted(held))], [held]);
    expect(path.bytes - aside).toBeGreaterThan(MIB);
    expect(asker.violations).toEqual([]);
  });

  it("that is cut leaves nothing out: what was under way is asked for on the stream", async () => {
    const blocks = await makeBlocks(24, MIB);
    const both = await pair(blocks);
    const { session, path, lost, asker, server } = both;
    await untilAside(both, blocks[0] as Block);
    let left = 5 * MIB + 12_345;
    path.onBytes = (bytes) => {
      left -= bytes.length;
      if (left < 0) path.cut(new Error("cut"));
      return left < 0 ? undefined : bytes;
    };
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(lost).toMatchObject([{ message: "cut" }]);
    expect([...asker.violations, ...server.violations]).toEqual([]);
  });

  it("that is cut half way through a chunk leaves its hash that of the answer which came whole", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const both = await pair([block]);
    await untilAside(both, block);
    both.path.onBytes = (bytes) => bytes.subarray(0, MIB / 2);
    const blocks = Object.assign(new MemoryBlockStore(), { startHash: startSha256 });
    const landing = new LandingChunk(blocks);
    let beginnings = 0;
    const into = () => {
      beginnings += 1;
      return landing.begin();
    };
    const onBytes = (part: Uint8Array) => {
      landing.add(part);
      both.path.cut(new Error("cut"));
    };
    const bytes = await both.session.fetch(wanted(block, { into, onBytes }));
    expect(beginnings).toBe(2);
    await blocks.putVerified(block.cid, bytes);
    expect(landing.digest()).toEqual(Buffer.from(block.cid.multihash.digest));
    landing.release();
    expect(blocks.buffers.takenCount).toBe(1);
  });

  it("that was cut while it was of use is opened anew, one that brought nothing is not", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const both = await pair([block]);
    const { session, path } = both;
    await untilAside(both, block);
    path.onBytes = () => void path.cut(new Error("cut"));
    await session.fetch(wanted(block));
    path.onBytes = (bytes) => bytes;
    path.bytes = 0;
    await untilAside(both, block);
    expect(path.opened).toHaveLength(2);

    path.onBytes = (bytes) => (bytes.length < 10 ? bytes : void path.cut(new Error("cut")));
    path.cut(new Error("cut while nothing is under way"));
    for (let tries = 0; tries < 20; tries += 1) await session.fetch(wanted(block));
    expect(path.opened).toHaveLength(3);
  });

  it("with bytes that are none of ours is left alone, and nobody is blamed", async () => {
    const blocks = await makeBlocks(4, MIB);
    const both = await pair(blocks);
    const { session, path, lost, asker } = both;
    path.onBytes = () => new TextEncoder().encode("<html>Sign in to the wireless network</html>");
    for (let tries = 0; lost.length === 0 && tries < 100; tries += 1)
      expectEqual([await session.fetch(wanted(blocks[0] as Block))], blocks.slice(0, 1));
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(lost).toMatchObject([{ name: "protocol_error" }]);
    expect(asker.violations).toEqual([]);
    expect(path.opened).toHaveLength(1);
  });

  it("whose first frame a proxy holds back is not waited for, and given up in time", async () => {
    const clock = new HandClock();
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const { session, path, lost } = await pair([block], { asker: { clock } });
    const seen = deferred();
    path.onBytes = () => void seen.resolve();
    expectEqual([await session.fetch(wanted(block))], [block]);
    await seen.promise;
    await clock.pass(SIDE_OPEN_MS + 2000);
    expect(lost).toMatchObject([{ message: "the side stream did not open" }]);
    expectEqual([await session.fetch(wanted(block))], [block]);
    expect(path.opened).toHaveLength(1);
  });

  it("that falls silent with answers under way is given up, and they come on the stream", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(3, MIB);
    const both = await pair(blocks, { asker: { clock } });
    const { session, path, lost, asker } = both;
    await untilAside(both, blocks[0] as Block);
    const silent = deferred();
    path.onBytes = () => void silent.resolve();
    const fetches = blocks.map((block) => session.fetch(wanted(block)));
    await silent.promise;
    await clock.pass(SIDE_STALL_MS + 2000);
    expectEqual(await Promise.all(fetches), blocks);
    expect(lost).toMatchObject([{ message: "the side stream brought nothing for too long" }]);
    expect(asker.violations).toEqual([]);
    expectEqual([await session.fetch(wanted(blocks[1] as Block))], blocks.slice(1, 2));
    expect(path.opened).toHaveLength(1);
  });

  it("is not asked for where it leads to another peer, and not given where nobody could open it", async () => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const elsewhere: SidePath = { to: () => undefined };
    for (const options of [{ asker: { sidePath: elsewhere } }, { server: { sides: undefined } }]) {
      const { session, path, lost } = await pair([block], options);
      for (let tries = 0; tries < 5; tries += 1) expectEqual([await session.fetch(wanted(block))], [block]);
      expect([...path.opened, ...lost]).toEqual([]);
    }
  });

  it("keeps to the upload rate", async () => {
    const clock = new HandClock();
    const blocks = await makeBlocks(16, MIB);
    const both = await pair(blocks, { server: { clock } });
    await untilAside(both, blocks[0] as Block);
    const { session, path, server, asker } = both;
    server.exchange.setRates({ maxUploadBytesPerSecond: MIB });
    const [startedAtMs, before, aside] = [
      clock.monotonic(),
      asker.exchange.traffic().downloadedBytes,
      path.bytes,
    ];
    const fetches = blocks.map((block) => session.fetch(wanted(block)));
    const sent = () => server.exchange.traffic().uploadedBytes - before;
    while (sent() < 8 * MIB) {
      await clock.pass(10);
      expect(sent()).toBeLessThanOrEqual(MIB * ((clock.monotonic() - startedAtMs) / 1000 + 0.2));
    }
    expect(path.bytes - aside).toBeGreaterThan(7 * MIB);
    server.exchange.setRates({});
    await Promise.all(fetches);
  });

  it.each(["server", "asker"] as const)("ends with the conversation, when the %s ends it", async (end) => {
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const both = await pair([block]);
    await untilAside(both, block);
    both[end].exchange.stop();
    await both.path.over;
  });
});

describe("a ticket", () => {
  function offer(sides: OfferedSides, clock: HandClock) {
    return sides.offer(new Watchdog(clock), () => {});
  }

  it("opens once, and nothing that looks like it does", () => {
    const clock = new HandClock();
    const sides = new OfferedSides(clock);
    const text = ticketText(offer(sides, clock).ticket);
    expect(text).toMatch(/^[\w-]{22}$/);
    expect(sides.redeem(`${text}A`)).toBeUndefined();
    expect(sides.redeem(text.slice(1))).toBeUndefined();
    expect(sides.redeem(text)).toBeInstanceOf(ReadableStream);
    expect(sides.redeem(text)).toBeUndefined();
  });

  it("is void after its time, and when what it stands for is closed", async () => {
    const clock = new HandClock();
    const sides = new OfferedSides(clock);
    const [inTime, late, closed] = [offer(sides, clock), offer(sides, clock), offer(sides, clock)];
    closed.close();
    expect(sides.redeem(ticketText(closed.ticket))).toBeUndefined();
    await clock.pass(TICKET_MS - 1);
    expect(sides.redeem(ticketText(inTime.ticket))).toBeInstanceOf(ReadableStream);
    await clock.pass(1);
    expect(sides.redeem(ticketText(late.ticket))).toBeUndefined();
  });
});

describe("a server of side streams", () => {
  function want(requestId: number, { cid, bytes }: Block): Message {
    const { code: codec, multihash } = cid;
    return { type: "want", requestId, priority: 1, maxBytes: bytes.length, codec, digest: multihash.digest };
  }

  /** An asker written by hand, and the node that serves it. */
  async function byHand(
    options: LoopbackOptions = {},
  ): Promise<{ server: LoopbackNode; sides: OfferedSides; peer: ScriptedPeer }> {
    const sides = new OfferedSides(options.clock ?? systemClock);
    const [server, asker] = await Promise.all([testNode({ sides, ...options }), testNode()]);
    server.exchange.serve(sourceOf(await makeBlocks(1, MIB)));
    return { server, sides, peer: await askByHand(asker.libp2p, server.libp2p) };
  }

  async function ticketOf(peer: ScriptedPeer, count = 1): Promise<string> {
    peer.send({ type: "ticket_ask" });
    await peer.untilReceived("ticket", count);
    const last = peer.received.at(-1);
    if (last?.type !== "ticket") throw new Error("no ticket");
    return ticketText(last.ticket);
  }

  it("voids a ticket with the next one, and with the conversation", async () => {
    const { server, sides, peer } = await byHand();
    const first = await ticketOf(peer);
    const second = await ticketOf(peer, 2);
    expect(sides.redeem(first)).toBeUndefined();
    server.exchange.stop();
    expect(sides.redeem(second)).toBeUndefined();
  });

  it.each<[string, (peer: ScriptedPeer, sides: OfferedSides) => Promise<void>]>([
    ["begins a side stream without a ticket", async (peer) => peer.send({ type: "side_begin" })],
    [
      "begins one that nobody has opened",
      async (peer) => {
        await ticketOf(peer);
        peer.send({ type: "side_begin" });
      },
    ],
    ["ends one that it never began", async (peer) => peer.send({ type: "side_end" })],
    [
      "asks for another while one is in use",
      async (peer, sides) => {
        sides.redeem(await ticketOf(peer));
        peer.send({ type: "side_begin" }, { type: "ticket_ask" });
      },
    ],
    ["sends what is the server's to send", async (peer) => peer.send({ type: "side_open" })],
  ])("takes it for a protocol error when an asker %s", async (_, misbehave) => {
    const { server, sides, peer } = await byHand();
    await misbehave(peer, sides);
    await peer.untilClosed();
    expect(server.violations).toHaveLength(1);
  });

  it("holds few answers for an asker that reads none of a side stream", async () => {
    const { server, sides, peer } = await byHand();
    const side = sides.redeem(await ticketOf(peer));
    expect(side).toBeDefined();
    peer.send({ type: "side_begin" });
    const [, unknown] = (await makeBlocks(2, MIB)) as [Block, Block];
    for (let requestId = 0; requestId <= MAX_REQUESTS_PER_PEER; requestId += 1)
      peer.send(want(requestId, unknown));
    await peer.untilClosed();
    expect(server.violations).toMatchObject([{ message: "too many requests" }]);
  });

  it("cuts off an asker that asks for tickets again and again", async () => {
    const { server, peer } = await byHand();
    peer.stream.pause();
    peer.send(want(0, (await makeBlocks(1, MIB))[0] as Block));
    let asked = 0;
    const attack = () => {
      while (!peer.stream.writableNeedsDrain && peer.stream.status === "open" && asked < 20_000) {
        peer.send({ type: "ticket_ask" });
        asked += 1;
      }
    };
    peer.stream.addEventListener("drain", attack);
    attack();
    await peer.untilClosed();
    expect(server.violations).toMatchObject([{ message: "tickets are asked for that nobody uses" }]);
  });

  it("gives up an asker that reads nothing of a side stream", async () => {
    const clock = new HandClock();
    const { sides, peer } = await byHand({ clock });
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    sides.redeem(await ticketOf(peer));
    peer.send({ type: "side_begin" }, want(0, block));
    await expect
      .poll(async () => {
        await clock.pass(SLOW_READER_MS / 4);
        return peer.stream.status;
      })
      .not.toBe("open");
    expect(peer.dataBytes).toBe(0);
  });

  it("forgets with the side stream what was asked for on it, and answers what is asked afterwards", async () => {
    const { sides, peer } = await byHand();
    const [block] = (await makeBlocks(1, MIB)) as [Block];
    const side = sides.redeem(await ticketOf(peer));
    await side?.cancel();
    peer.send({ type: "side_begin" }, want(0, block), { type: "side_end" }, want(1, block));
    await peer.until(() => peer.dataBytes >= MIB);
    expect(peer.received.filter(({ type }) => type === "block")).toMatchObject([{ requestId: 1 }]);
    expect(await ticketOf(peer, 2)).toMatch(/^[\w-]{22}$/);
  });
});

it("a ticket that nobody asked for is a protocol error of the server", async () => {
  const [block] = (await makeBlocks(1, 100)) as [Block];
  const liar = await startScriptedServer((peer) => {
    void peer.untilReceived("want").then(() => peer.send({ type: "ticket", ticket: new Uint8Array(16) }));
  });
  onTestFinished(() => liar.stop());
  const asker = await testNode();
  await connect(asker, { libp2p: liar });
  const session = await asker.exchange.openSession(liar.peerId.toString(), never);
  await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "protocol_error" });
});

it("two first frames on a side stream end it", async () => {
  const [block] = (await makeBlocks(1, MIB)) as [Block];
  const both = await pair([block]);
  const twice = [...encodeMessage({ type: "side_open" }), ...encodeMessage({ type: "side_open" })];
  both.path.onBytes = () => Uint8Array.from(twice);
  for (let tries = 0; both.lost.length === 0 && tries < 100; tries += 1)
    await both.session.fetch(wanted(block));
  expect(both.lost).toMatchObject([{ name: "protocol_error", message: "side_open on a side stream" }]);
  expectEqual([await both.session.fetch(wanted(block))], [block]);
});
