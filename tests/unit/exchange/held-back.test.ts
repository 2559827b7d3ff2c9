/** A wire on a stream of the muxer's, whose window holds the peer back while nothing is read. */
import type { Stream } from "@libp2p/interface";
import { multiaddrConnectionPair } from "@libp2p/utils";
import { expect, it } from "vitest";
import { MAX_DATA_BYTES } from "../../../src/exchange/limits.ts";
import { encodeDataHeader } from "../../../src/exchange/wire/messages.ts";
import { Wire } from "../../../src/exchange/wire/wire.ts";
import { sparingYamux } from "../../../src/network/libp2p/sparing-yamux.ts";

/** Of a stream, at first and while little is read. */
const WINDOW_BYTES = 256 * 1024;

async function openStreams(): Promise<{ sending: Stream; receiving: Stream }> {
  const [outbound, inbound] = multiaddrConnectionPair();
  const create = sparingYamux({ enableKeepAlive: false });
  const client = create().createStreamMuxer(outbound);
  const server = create().createStreamMuxer(inbound);
  const opened = new Promise<Stream>((resolve) => {
    server.addEventListener("stream", ({ detail }) => resolve(detail), { once: true });
  });
  const sending = await client.createStream();
  sending.send(encodeDataHeader(1, MAX_DATA_BYTES));
  return { sending, receiving: await opened };
}

/** What is on its way has come. */
async function arrived(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setTimeout(resolve));
}

it("a peer sends no more than a window ahead of what is read, however often its wire pauses", async () => {
  const { sending, receiving } = await openStreams();
  let readBytes = 0;
  const wire = new Wire(receiving, {
    onMessage: () => {},
    onData: () => {},
    onWritable: () => {},
    onClosed: () => {},
    onRead: (bytes) => {
      readBytes += bytes;
      wire.pause();
    },
  });
  const piece = new Uint8Array([...new Uint8Array(MAX_DATA_BYTES), ...encodeDataHeader(1, MAX_DATA_BYTES)]);
  const sentBytes = 40 * piece.length;
  for (let sent = 0; sent < 40; sent++) sending.send(piece);
  const aheadBytes: number[] = [];
  while (readBytes < sentBytes / 2) {
    await arrived();
    aheadBytes.push(sentBytes - sending.writeBufferLength - readBytes);
    wire.resume();
  }
  expect(Math.max(...aheadBytes)).toBeLessThanOrEqual(2 * WINDOW_BYTES);
  sending.abort(new Error("over"));
});
