/** Peers that lie, repeat or ask for what is not theirs, by their bytes on the wire. */
import type { Libp2p } from "libp2p";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  MAX_REQUESTS_PER_PEER,
  MAX_WATCHES_PER_PEER,
  READ_AHEAD_BLOCKS,
} from "../../../src/exchange/limits.ts";
import { PROTOCOL } from "../../../src/exchange/protocol.ts";
import type { Message } from "../../../src/exchange/wire/messages.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { MAX_CHUNKS } from "../../../src/sharing/limits.ts";
import { eventually } from "../../eventually.ts";
import { HandClock } from "../hand-clock.ts";
import {
  type Block,
  connect,
  type LoopbackNode,
  MIB,
  makeBlocks,
  sourceOf,
  startLibp2p,
  startNode,
  wanted,
} from "./loopback.ts";
import { askByHand, ScriptedPeer } from "./scripted-peer.ts";

const never = new AbortController().signal;
const GIGABYTES_PREFIX = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f);

let liar: Libp2p;
let node: LoopbackNode;
let block: Block;
let blocks: Block[];
/** What the liar does with the first request it hears. */
let script: (peer: ScriptedPeer) => void;

beforeAll(async () => {
  blocks = await makeBlocks(8, MIB);
  [block] = (await makeBlocks(1, 1000)) as [Block];
  [liar, node] = await Promise.all([startLibp2p(), startNode()]);
  await connect(node, { libp2p: liar });
  await liar.handle(PROTOCOL, (stream) => {
    const peer = new ScriptedPeer(stream);
    void peer.until(() => peer.received.length > 0).then(() => script(peer));
  });
});
afterAll(async () => {
  await Promise.all([node.stop(), liar.stop()]);
});
afterEach(() => {
  node.violations.length = 0;
});

describe("a lying server", () => {
  const half = new Uint8Array(500);
  it.each<[string, (peer: ScriptedPeer) => void]>([
    [
      "tells more bytes than were asked for",
      (peer) => peer.send({ type: "block", requestId: 0, sizeBytes: 1001 }),
    ],
    [
      "sends more bytes than it told",
      (peer) => {
        peer.send({ type: "block", requestId: 0, sizeBytes: 600 });
        peer.sendData(0, half);
        peer.sendData(0, half);
      },
    ],
    ["sends bytes before it tells how many", (peer) => peer.sendData(0, half)],
    ["answers what nobody asked", (peer) => peer.send({ type: "block", requestId: 1, sizeBytes: 5 })],
    ["sends bytes that nobody asked for", (peer) => peer.sendData(7, half)],
    [
      "answers twice",
      (peer) =>
        peer.send(
          { type: "block", requestId: 0, sizeBytes: 1000 },
          { type: "block", requestId: 0, sizeBytes: 1000 },
        ),
    ],
    [
      "begins an answer and then lacks the block",
      (peer) =>
        peer.send({ type: "block", requestId: 0, sizeBytes: 1000 }, { type: "missing", requestId: 0 }),
    ],
    ["takes a standing request as cancelled", (peer) => peer.send({ type: "cancelled", requestId: 0 })],
    ["claims a frame of gigabytes", (peer) => peer.stream.send(GIGABYTES_PREFIX)],
    ["sends an unknown message", (peer) => peer.stream.send(Uint8Array.of(1, 0x66))],
    ["asks on the answering side", (peer) => peer.send({ type: "cancel", requestId: 0 })],
    ["tells news that nobody asked for", (peer) => peer.send({ type: "have_all", watchId: 0 })],
  ])("that %s ends the conversation as a protocol error", async (_, lie) => {
    script = lie;
    const session = await node.exchange.openSession(liar.peerId.toString(), never);
    const breach = await session.fetch(wanted(block)).catch((error: unknown) => error);
    expect(breach).toMatchObject({ name: "protocol_error" });
    // The same for all, so that it is counted once.
    await expect(session.fetch(wanted(block))).rejects.toBe(breach);
    expect(node.violations).toMatchObject([{ peerId: liar.peerId.toString() }]);
    session.close();
  });

  it("that repeats an answer is found out by the next request", async () => {
    script = (peer) => {
      peer.send({ type: "block", requestId: 0, sizeBytes: 1000 });
      peer.sendData(0, block.bytes);
      peer.send({ type: "block", requestId: 0, sizeBytes: 1000 });
    };
    const session = await node.exchange.openSession(liar.peerId.toString(), never);
    await expect(session.fetch(wanted(block))).resolves.toEqual(block.bytes);
    await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "protocol_error" });
    session.close();
  });

  it.each<[string, Message]>([
    ["a run past the file", { type: "have_runs", watchId: 0, runs: [{ start: 9, count: 2 }] }],
    ["a field past the file", { type: "have_field", watchId: 0, offsetBytes: 1, bits: Uint8Array.of(0, 0) }],
    ["bits past the file", { type: "have_field", watchId: 0, offsetBytes: 1, bits: Uint8Array.of(0x20) }],
  ])("that tells %s breaks the protocol, as every reader of haves is told", async (_, lie) => {
    script = (peer) => peer.send(lie);
    const session = await node.exchange.openSession(liar.peerId.toString(), never);
    const breaches = [];
    for (let reader = 0; reader < 2; reader++) {
      const haves = session.haves(block.cid.toString(), 10, never)[Symbol.asyncIterator]();
      breaches.push(await haves.next().catch((error: unknown) => error));
    }
    expect(breaches[0]).toMatchObject({ name: "protocol_error" });
    expect(breaches[1]).toBe(breaches[0]);
    expect(node.violations).toHaveLength(1);
    session.close();
  });

  it("that answers with fewer bytes than the block has gives them as they are, for the hash to judge", async () => {
    script = (peer) => {
      peer.send({ type: "block", requestId: 0, sizeBytes: 500 });
      peer.sendData(0, half);
    };
    const session = await node.exchange.openSession(liar.peerId.toString(), never);
    await expect(session.fetch(wanted(block))).resolves.toHaveLength(500);
    session.close();
  });
});

describe("a hostile asker", () => {
  const want = (requestId: number, { cid, bytes }: Block): Message => {
    return {
      type: "want",
      requestId,
      priority: 1,
      maxBytes: bytes.length,
      codec: cid.code,
      digest: cid.multihash.digest,
    };
  };
  const many = (count: number, make: (id: number) => Message) =>
    Array.from({ length: count }, (_, id) => make(id));

  it.each<[string, (peer: ScriptedPeer) => void]>([
    ["floods requests", (peer) => peer.send(...many(MAX_REQUESTS_PER_PEER + 1, (id) => want(id, block)))],
    [
      "floods watches",
      (peer) =>
        peer.send(
          ...many(MAX_WATCHES_PER_PEER + 1, (watchId) => ({
            type: "watch",
            watchId,
            chunkCount: MAX_CHUNKS,
            codec: 0x55,
            digest: new Uint8Array(32).fill(watchId),
          })),
        ),
    ],
    ["uses a request id again", (peer) => peer.send(want(5, block), want(5, block))],
    ["cancels what it has not asked for", (peer) => peer.send({ type: "cancel", requestId: 0 })],
    ["ranks what it has not asked for", (peer) => peer.send({ type: "priority", requestId: 0, priority: 2 })],
    ["claims a frame of gigabytes", (peer) => peer.stream.send(GIGABYTES_PREFIX)],
    ["sends a block uninvited", (peer) => peer.send({ type: "block", requestId: 0, sizeBytes: 1000 })],
    ["sends bytes uninvited", (peer) => peer.sendData(0, new Uint8Array(10))],
  ])("that %s is cut off as a protocol error", async (_, attack) => {
    node.exchange.serve({
      buffers: new ChunkBuffers(),
      shares: () => true,
      doubt: () => {},
      readBlock: (_, signal) =>
        new Promise((end) => signal.addEventListener("abort", () => end(undefined), { once: true })),
      haves: async function* (_fileId, _chunkCount, signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    });
    const peer = await askByHand(liar, node.libp2p);
    attack(peer);
    await peer.untilClosed();
    expect(node.violations).toMatchObject([{ peerId: liar.peerId.toString() }]);
  });

  it("gets no block that the source does not give", async () => {
    node.exchange.serve(sourceOf([]));
    const peer = await askByHand(liar, node.libp2p);
    peer.send(want(0, block));
    await peer.untilReceived("missing");
    expect(peer.dataBytes).toBe(0);
    peer.stream.abort(new Error("done"));
  });

  it("that cancels and asks in turn without reading the replies is cut off", async () => {
    const [big] = blocks as [Block];
    node.exchange.serve(sourceOf([big]));
    const peer = await askByHand(liar, node.libp2p);
    peer.stream.pause();
    peer.send(want(0, big));
    let requestId = 1;
    const attack = () => {
      while (!peer.stream.writableNeedsDrain && peer.stream.status === "open" && requestId < 10_000) {
        peer.send(want(requestId, big), { type: "cancel", requestId });
        requestId += 1;
      }
    };
    peer.stream.addEventListener("drain", attack);
    attack();
    await peer.untilClosed();
    expect(node.violations).toHaveLength(1);
  });

  it("that opens conversation after conversation has no more read for it than in one, and is served when that is done", async () => {
    const reader = await startLibp2p();
    const ends: (() => void)[] = [];
    node.exchange.serve({
      ...sourceOf([]),
      readBlock: () => new Promise((end) => ends.push(() => end(block.bytes))),
    });
    let peer = await askByHand(reader, node.libp2p);
    for (let conversations = 1; conversations < 4 * READ_AHEAD_BLOCKS; conversations++) {
      peer.send(want(0, block), { type: "cancel", requestId: 0 });
      await peer.untilReceived("cancelled");
      const before = peer;
      peer = await askByHand(reader, node.libp2p);
      await before.untilClosed();
    }
    expect(ends).toHaveLength(READ_AHEAD_BLOCKS);
    peer.send(want(0, block), want(1, block), { type: "cancel", requestId: 1 });
    await peer.untilReceived("cancelled");
    expect(ends).toHaveLength(READ_AHEAD_BLOCKS);
    ends[0]?.();
    await eventually(() => expect(ends).toHaveLength(READ_AHEAD_BLOCKS + 1));
    for (const end of ends) end();
    await peer.untilReceived("block");
    expect(node.violations).toEqual([]);
    await reader.stop();
  });

  it("that reads nothing is dropped after half a minute with little held, while others are served", async () => {
    const clock = new HandClock();
    const server = await startNode({ clock });
    const honest = await startNode();
    let readCount = 0;
    const source = sourceOf(blocks);
    server.exchange.serve({
      ...source,
      readBlock: (cid, signal) => {
        readCount += 1;
        return source.readBlock(cid, signal);
      },
    });
    const peer = await askByHand(liar, server.libp2p);
    peer.stream.pause();
    peer.send(...many(30, (id) => want(id, blocks[id % 8] as Block)));
    await connect(honest, server);
    const session = await honest.exchange.openSession(server.peerId, never);
    await Promise.all(blocks.map((one) => session.fetch(wanted(one))));
    // Beside what is read ahead: what the stream and the muxer took before they were full.
    expect(readCount).toBeLessThanOrEqual(8 + READ_AHEAD_BLOCKS + 2);
    const closed = peer.untilClosed();
    await clock.pass(35_000);
    await closed;
    await expect(session.fetch(wanted(block))).rejects.toMatchObject({ name: "block_not_found" });
    expect(server.violations).toEqual([]);
    await Promise.all([server.stop(), honest.stop()]);
  });
});
