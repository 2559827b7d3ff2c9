/** How many peers are served at a time, and who gets a place when all are taken. */
import { expect, it } from "vitest";
import { MAX_READ_IN_VAIN, MAX_SERVED_PEERS } from "../../../src/exchange/limits.ts";
import type { Message } from "../../../src/exchange/wire/messages.ts";
import type { BlockSource } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { startServer as startCrowdServer } from "./crowd.ts";
import { lineOf } from "./line.ts";
import { type Block, KIB, MIB, makeBlocks, sourceOf } from "./loopback.ts";
import { ScriptedPeer } from "./scripted-peer.ts";

/** A server that reads nothing before `release`. */
async function startServer(blockBytes = 10, originOf?: (peerId: string) => string) {
  const blocks = await makeBlocks(1, blockBytes);
  const [block] = blocks as [Block];
  const release = deferred();
  let readings = 0;
  let look = () => {};
  const count = (change: number) => {
    readings += change;
    look();
  };
  const clock = new HandClock();
  const { buffers, shares, doubt } = sourceOf(blocks);
  const source: BlockSource = {
    buffers,
    doubt,
    async *haves(_, _count, signal) {
      yield { kind: "all" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    shares,
    readBlock: async () => {
      count(1);
      await release.promise;
      count(-1);
      return block.bytes;
    },
  };
  const { answer } = startCrowdServer(clock, source, {}, originOf);
  const { code: codec, multihash } = block.cid;
  const file = { codec, digest: multihash.digest };
  const want: Message = { type: "want", requestId: 0, priority: 1, maxBytes: blockBytes, ...file };
  const watch: Message = { type: "watch", watchId: 0, chunkCount: 1, ...file };
  return {
    clock,
    release: release.resolve,
    /** Settles once so many blocks are being read. */
    reads: (wanted: number) =>
      new Promise<void>((resolve) => {
        look = () => readings === wanted && resolve();
        look();
      }),
    want,
    watch,
    met(peerId: string, bytesPerSecond?: number): ScriptedPeer {
      const { near, far } = lineOf(clock, { farBytesPerSecond: bytesPerSecond });
      const peer = new ScriptedPeer(near.asStream);
      answer(far.asStream, peerId);
      return peer;
    },
  };
}

it("a peer that asks for nothing gives its place to one that comes, and none that waits for its answer does", async () => {
  const server = await startServer();
  const peers: ScriptedPeer[] = [];
  for (let nth = 0; nth < MAX_SERVED_PEERS; nth++) peers.push(server.met(`peer ${nth}`));
  const [first, idle, ...others] = peers as [ScriptedPeer, ScriptedPeer, ...ScriptedPeer[]];
  for (const peer of [first, ...others]) peer.send(server.want);
  await server.reads(MAX_SERVED_PEERS - 1);
  const newcomer = server.met("newcomer");
  newcomer.send(server.want);
  await Promise.all([idle.untilClosed(), server.reads(MAX_SERVED_PEERS)]);
  const refused = server.met("refused");
  await refused.untilClosed();
  server.release();
  await Promise.all([first, newcomer].map((peer) => peer.until(() => peer.dataBytes === 10)));
});

it("peers that only watch keep nobody out that asks for blocks: the first to go is who never asked for one, then who last did long ago", async () => {
  const server = await startServer();
  server.release();
  const peers: ScriptedPeer[] = [];
  for (let nth = 0; nth < MAX_SERVED_PEERS; nth++) {
    const peer = server.met(`peer ${nth}`);
    peer.send(server.watch);
    await peer.untilReceived("have_all");
    peers.push(peer);
  }
  const fetch = async (peer: ScriptedPeer) => {
    await server.clock.pass(1);
    peer.send(server.want);
    await peer.until(() => peer.dataBytes === 10);
  };
  const [first, second, ...others] = peers as [ScriptedPeer, ScriptedPeer, ...ScriptedPeer[]];
  for (const peer of [second, first]) await fetch(peer);
  for (let nth = 2; nth < MAX_SERVED_PEERS; nth++) {
    await fetch(server.met(`newcomer ${nth}`));
    await others[nth - 2]?.untilClosed();
  }
  await fetch(server.met("last"));
  await second.untilClosed();
  expect(first.stream.status).toBe("open");
});

it("a peer whose reading outlasts its conversation keeps its place until that has ended", async () => {
  const server = await startServer();
  for (let nth = 0; nth < MAX_SERVED_PEERS; nth++) {
    const peer = server.met(`peer ${nth}`);
    peer.send(server.want);
    await server.reads(nth + 1);
    peer.stream.abort(new Error("it leaves"));
  }
  const late = server.met("late");
  await late.untilClosed();
  server.release();
  await server.reads(0);
  const last = server.met("last");
  last.send(server.want);
  await last.until(() => last.dataBytes === 10);
});

it("no peer goes while that would free no place, since what is read for it outlasts it", async () => {
  const server = await startServer();
  const [withdrawing, ...others] = Array.from({ length: MAX_SERVED_PEERS }, (_, nth) =>
    server.met(`peer ${nth}`),
  ) as [ScriptedPeer, ...ScriptedPeer[]];
  withdrawing.send(server.want, { type: "cancel", requestId: 0 });
  await withdrawing.untilReceived("cancelled");
  await server.clock.pass(1);
  for (const peer of others) peer.send(server.want);
  await server.reads(MAX_SERVED_PEERS);
  await server.met("early").untilClosed();
  expect(withdrawing.stream.status).toBe("open");
  server.release();
  await Promise.all(others.map((peer) => peer.until(() => peer.dataBytes === 10)));
  const newcomer = server.met("newcomer");
  newcomer.send(server.want);
  await Promise.all([withdrawing.untilClosed(), newcomer.until(() => newcomer.dataBytes === 10)]);
});

it("of those that take slowly and hold all places one that gets nowhere gives way to a newcomer, once it had time", async () => {
  const server = await startServer(MIB);
  server.release();
  const meet = (name: string, bytesPerSecond: number) => {
    const peer = server.met(name, bytesPerSecond);
    peer.send(server.want);
    return peer;
  };
  const [first, slowest] = [meet("first", 10 * KIB), meet("slowest", 3 * KIB)];
  const others = Array.from({ length: MAX_SERVED_PEERS - 2 }, (_, nth) => meet(`peer ${nth}`, 10 * KIB));
  await server.clock.pass(20_000);
  await meet("early", MIB).untilClosed();
  await server.clock.pass(20_000);
  const newcomer = meet("newcomer", MIB);
  await server.clock.pass(10_000);
  expect(newcomer.dataBytes).toBe(MIB);
  expect([first, slowest, ...others].filter(({ stream }) => stream.status !== "open")).toEqual([slowest]);
});

it("two hosts under many ids, all of which wait for what they ask for in vain, keep out nobody of another", async () => {
  const server = await startServer(10, (peerId) => peerId.slice(0, 6));
  server.release();
  const ids = Array.from({ length: MAX_SERVED_PEERS }, (_, nth) => server.met(`host ${nth % 2} ${nth}`));
  const ask = async (from: number, count: number) => {
    for (const peer of ids)
      for (let requestId = from; requestId < from + count; requestId++)
        peer.send({ ...server.want, requestId, maxBytes: 1 } as Message);
    await server.clock.pass(1_000);
  };
  await ask(0, MAX_READ_IN_VAIN);
  await ask(MAX_READ_IN_VAIN, 8);
  const newcomer = server.met("host 2");
  newcomer.send(server.want);
  await server.clock.pass(0);
  expect(newcomer.dataBytes).toBe(10);
  expect(ids.filter(({ stream }) => stream.status === "open")).toHaveLength(MAX_SERVED_PEERS - 1);
});
