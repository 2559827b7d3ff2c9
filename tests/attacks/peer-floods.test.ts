/**
 * Attacks 15 and 16 on a running node: bombs and floods of peers, while honest downloads go on beside them. Half-open
 * handshakes are cut off after seconds by design, so they begin before the first test and are looked for in the last.
 */
import { connect, type Socket } from "node:net";
import type { Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { MAX_REQUESTS_PER_PEER, MAX_WATCHES_PER_PEER } from "../../src/exchange/limits.ts";
import { PROTOCOL } from "../../src/exchange/protocol.ts";
import type { Message } from "../../src/exchange/wire/messages.ts";
import { CATALOGUE_PROTOCOL } from "../../src/network/announcing/catalogue-protocol.ts";
import { MAX_INBOUND_STREAMS_PER_PROTOCOL, MAX_PENDING_PER_HOST } from "../../src/network/limits.ts";
import { RAW } from "../../src/sharing/hash.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { type BaitedFile, baitedFile } from "./baited-file.ts";
import { claimGigabytes, isTaken } from "./length-bomb.ts";
import { startHostile } from "./start-hostile.ts";
import { expectUnharmed } from "./unharmed.ts";

const MIB = 1024 * 1024;

let shoals: Shoals;
let victim: ShoalProcess;
let honest: ShoalProcess;
let big: BaitedFile;
let silent: Socket[];
let noisy: Socket;
let halfSecured: Socket[];

beforeAll(async () => {
  shoals = new Shoals();
  victim = await shoals.start();
  honest = await shoals.start({ bootstrap: [victim] });
  big = await baitedFile("big.bin", 12 * MIB);
  await victim.client.upload(big.bytes, { name: "big.bin" });
  noisy = await openSocket("127.0.0.10");
  noisy.write(new Uint8Array(70_000).fill(0xff));
  halfSecured = await Promise.all(Array.from({ length: 40 }, () => openSocket("127.0.0.13")));
  // The head of a first record of TLS that never comes, as by peers that come for a side stream.
  for (const socket of halfSecured) socket.write(Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00));
  silent = await Promise.all(Array.from({ length: 60 }, () => openSocket("127.0.0.9")));
});
afterAll(async () => {
  for (const socket of [...silent, ...halfSecured, noisy]) socket.destroy();
  await shoals[Symbol.asyncDispose]();
});
afterEach(async () => {
  await expectHonestService();
  await expectUnharmed(victim);
});

/** A file goes from the victim to an honest peer. */
async function expectHonestService(): Promise<void> {
  const file = await baitedFile("honest.bin", 2 * MIB);
  const { file_id } = await victim.client.upload(file.bytes, { name: "honest.bin" });
  const { transfer_id } = await honest.client.download({ file_id });
  expect(await transferEnd(honest, transfer_id)).toMatchObject({ status: "completed" });
}

async function openSocket(from: string): Promise<Socket> {
  const { addresses } = await victim.client.nodeInfo();
  const port = Number(/\/tcp\/(\d+)\/p2p/.exec(addresses.join(" "))?.[1]);
  const socket = connect({ host: "127.0.0.1", port, localAddress: from });
  socket.on("error", () => undefined).resume();
  // Refused is as good as open: a flood does not mind.
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve).once("close", () => resolve());
  });
  return socket;
}

function wants(count: number, first = 0): Message[] {
  const digests = [...big.blocks.keys()].map((hex) => new Uint8Array(Buffer.from(hex, "hex")));
  return Array.from({ length: count }, (_, index) => ({
    type: "want",
    requestId: first + index,
    priority: 2,
    maxBytes: MIB,
    codec: RAW,
    digest: digests[index % digests.length] as Uint8Array,
  }));
}

describe("a length prefix that claims gigabytes", () => {
  it.each([PROTOCOL, CATALOGUE_PROTOCOL, "/meshsub/1.1.0", "/ipfs/id/push/1.0.0", "/shoal/main/kad/1.0.0"])(
    "on %s ends the stream before any memory is taken",
    async (protocol) => {
      const hostile = await startHostile();
      const streams: Stream[] = [];
      for (let index = 0; index < 4; index++) {
        // A second stream of some protocols is refused at once.
        const stream = await hostile.openStream(victim, protocol).catch(() => undefined);
        if (stream === undefined) continue;
        streams.push(stream);
        claimGigabytes(stream);
      }
      expect(streams.length).toBeGreaterThan(0);
      await until("all streams are ended", () => !streams.some(isTaken));
    },
  );
});

describe("a peer that floods with", () => {
  it("requests is cut off, struck, and banned at the third time", async () => {
    const hostile = await startHostile();
    for (let round = 0; round < 3; round++) {
      const peer = await hostile.ask(victim);
      peer.stream.pause();
      peer.send(...wants(MAX_REQUESTS_PER_PEER * 4));
      await peer.untilClosed();
    }
    await until("it is banned", () =>
      victim.log.some((line) => line.includes("peer banned") && line.includes(hostile.id)),
    );
    await until("its connection is cut", () => !hostile.isConnected);
    await hostile.connect(victim).catch(() => undefined);
    await until("it can't come back", () => !hostile.isConnected);
  });

  it("watches of files that nobody has is cut off", async () => {
    const hostile = await startHostile();
    const peer = await hostile.ask(victim);
    peer.stream.pause();
    const digest = new Uint8Array(32);
    for (let watchId = 0; watchId < MAX_WATCHES_PER_PEER * 200 && peer.stream.status === "open"; watchId++) {
      digest[0] = watchId;
      peer.send({ type: "watch", watchId, chunkCount: 1 << 20, codec: RAW, digest });
    }
    peer.stream.resume();
    await until("it is cut off", () => peer.stream.status !== "open");
  });

  it("streams holds few of a protocol open", async () => {
    const hostile = await startHostile();
    await hostile.connect(victim);
    const victimId = peerIdFromString((await victim.client.nodeInfo()).node_id);
    const attempts = await Promise.allSettled(
      Array.from({ length: 300 }, () => hostile.node.dialProtocol(victimId, CATALOGUE_PROTOCOL)),
    );
    const streams = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
    await until(
      "all but a few are ended",
      () => streams.filter(({ status }) => status === "open").length <= MAX_INBOUND_STREAMS_PER_PROTOCOL,
    );
  });

  it("conversations it does not read takes little memory, and does not hold up others", async () => {
    const slow = await Promise.all(Array.from({ length: 12 }, () => startHostile("127.0.0.3")));
    for (const hostile of slow) {
      const peer = await hostile.ask(victim);
      peer.stream.pause();
      peer.send(...wants(MAX_REQUESTS_PER_PEER - 1));
    }
    await expectHonestService();
    for (const hostile of slow) expect(hostile.isConnected).toBe(true);
  });
});

describe("connections", () => {
  it("that never finish their handshake are closed after a while", async () => {
    await until("they are closed", () => silent.every((socket) => socket.closed));
  });

  it("that begin with TLS and go no further are closed too", async () => {
    await until("they are closed", () => halfSecured.every((socket) => socket.closed));
  });

  it("that bring no handshake but noise are closed", async () => {
    await until("it is closed", () => noisy.closed);
  });

  it("in their hundreds of one host leave room for others", async () => {
    const flood: Socket[] = [];
    for (let round = 0; round < 6; round++) {
      flood.push(...(await Promise.all(Array.from({ length: 100 }, () => openSocket("127.0.0.11")))));
    }
    const newcomer = await startHostile("127.0.0.12");
    await newcomer.connect(victim);
    expect(newcomer.isConnected).toBe(true);
    expect(flood.filter((socket) => !socket.closed).length).toBeLessThanOrEqual(MAX_PENDING_PER_HOST);
    for (const socket of flood) socket.destroy();
  });
});
