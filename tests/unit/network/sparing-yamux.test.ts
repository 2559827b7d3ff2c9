/** Muxers that are sparing with windows, with each other and with those of the library. */
import type { Stream } from "@libp2p/interface";
import { multiaddrConnectionPair } from "@libp2p/utils";
import { yamux } from "@libp2p/yamux";
import { describe, expect, it } from "vitest";
import { sparingYamux } from "../../../src/network/libp2p/sparing-yamux.ts";

const MIB = 1024 * 1024;
const ours = () => sparingYamux({ enableKeepAlive: false })();
const theirs = () => yamux({ enableKeepAlive: false })();

interface Pair {
  stream: Stream;
  /** The same at the other end. */
  incoming: Stream;
  /** Messages that the other end has sent on the connection. */
  answers(): number;
}

async function pairOf(makers: { outbound: typeof ours; inbound: typeof ours }): Promise<Pair> {
  const [outbound, inbound] = multiaddrConnectionPair();
  let answers = 0;
  const send = inbound.send.bind(inbound);
  inbound.send = (data) => {
    answers += 1;
    return send(data);
  };
  const [client, server] = [
    makers.outbound().createStreamMuxer(outbound),
    makers.inbound().createStreamMuxer(inbound),
  ];
  const opened = new Promise<Stream>((resolve) => {
    server.addEventListener("stream", ({ detail }) => resolve(detail), { once: true });
  });
  const stream = await client.createStream();
  stream.send(Uint8Array.of(0));
  const incoming = await opened;
  return { stream, incoming, answers: () => answers };
}

/** Sends so many bytes in messages of a length, and settles when all have come. */
async function carried({ stream, incoming }: Pair, sizeBytes: number, messageBytes: number): Promise<void> {
  let restBytes = sizeBytes;
  const arrived = new Promise<void>((resolve) => {
    incoming.addEventListener("message", ({ data }) => {
      restBytes -= data.byteLength;
      if (restBytes <= 0) resolve();
    });
  });
  for (let sent = 0; sent < sizeBytes; sent += messageBytes) {
    if (stream.send(new Uint8Array(messageBytes))) continue;
    await new Promise((resolve) => stream.addEventListener("drain", resolve, { once: true }));
  }
  await arrived;
}

describe("a muxer that is sparing with windows", () => {
  it("sends no answer of its own to short messages", async () => {
    const pair = await pairOf({ outbound: ours, inbound: ours });
    await carried(pair, 100 * 100, 100);
    // That the stream was opened.
    expect(pair.answers()).toBe(1);
  });

  it.each([
    ["another", ours, ours],
    ["one of the library", ours, theirs],
    ["it from one of the library", theirs, ours],
  ])("carries many times a window to %s", async (_whom, outbound, inbound) => {
    const pair = await pairOf({ outbound, inbound });
    await carried(pair, 2 * MIB, MIB);
    await carried(pair, MIB, 2048);
  });
});
