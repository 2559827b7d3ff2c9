/** Attacks 15 and 16 by the frames of a connection, before any protocol is spoken. */
import type { Connection } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { expect, it } from "vitest";
import { boundFrames } from "../../src/network/libp2p/bounded-frames.ts";
import { SHORT_FRAME_BURST, VAIN_STREAM_BURST, YAMUX_PING_BURST } from "../../src/network/libp2p/limits.ts";
import { MAX_TAKEN_FRAME_BYTES } from "../../src/network/limits.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { soon } from "./sooner.ts";
import { join } from "./swarm-of-nodes.ts";

interface Muxer {
  send(bytes: Uint8Array): void;
  onData(): void;
}

const DATA = 0;
const WINDOW_UPDATE = 1;
const PING = 2;
const SYN = 1;
const RST = 8;

/** The header of a yamux frame: version, type, flags, stream and length. */
function frame(type: number, flags: number, streamId: number, length: number): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(12));
  bytes.setUint8(1, type);
  bytes.setUint16(2, flags);
  bytes.setUint32(4, streamId);
  bytes.setUint32(8, length);
  return new Uint8Array(bytes.buffer);
}

const pings = Array.from({ length: YAMUX_PING_BURST + 2 }, (_, id) => frame(PING, SYN, 0, id));
// Beyond those that the dialler opened by then.
const ids = Array.from({ length: VAIN_STREAM_BURST + 32 }, (_, index) => 1001 + 2 * index);
const opened = ids.map((id) => frame(WINDOW_UPDATE, SYN, id, 0));
const reset = ids.flatMap((id) => [frame(WINDOW_UPDATE, SYN, id, 0), frame(WINDOW_UPDATE, RST, id, 0)]);

it.each([
  ["pings without end", pings],
  ["streams that are reset at once", reset],
  [
    "more streams than there is room for",
    [...opened, ...opened.map((_, index) => frame(WINDOW_UPDATE, SYN, 5001 + 2 * index, 0))],
  ],
  [
    "frames that say nothing",
    Array.from({ length: SHORT_FRAME_BURST * 2 }, () => frame(WINDOW_UPDATE, 0, 7, 1)),
  ],
  ["a frame of 4 GB", [frame(DATA, SYN, 1001, 0xffff_ffff), new Uint8Array(MAX_TAKEN_FRAME_BYTES)]],
])("%s cost a peer its connection, and nobody else theirs", async (_what, frames) => {
  const victim = await join();
  const honest = await startBareNode();
  await dial(honest, victim);
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const [connection] = hostile.getConnections() as [Connection];
  await hostile.services.ping.ping(connection.remotePeer);
  const closed = new Promise((resolve) => connection.addEventListener("close", resolve));
  const { muxer } = connection as unknown as { muxer: Muxer };
  // It hears no answers, which would be none that it asked for.
  muxer.onData = () => undefined;
  muxer.send(Buffer.concat(frames));
  await soon(closed);
  const [other] = honest.getConnections() as [Connection];
  expect(await honest.services.ping.ping(other.remotePeer)).toBeGreaterThanOrEqual(0);
});

/** Shows the bounds a frame of data that begins with these bytes. */
function readHead(head: Uint8Array): unknown {
  const decoder = { buffer: new Uint8ArrayList(head), readFrame: () => "read" };
  const nothing = () => undefined;
  boundFrames({
    decoder,
    sendFrame: () => true,
    handlePing: nothing,
    incomingStream: nothing,
    numInboundStreams: 0,
    maxInboundStreams: 1,
  });
  return decoder.readFrame();
}

it("reads frames of nodes from before there was a bound: half a chunk with the heads of its messages", () => {
  // As a node of 2026-11-22 began one on the stream 9.
  expect(readHead(Buffer.from("00000000000000090008002e", "hex"))).toBe("read");
  expect(() => readHead(frame(DATA, 0, 9, MAX_TAKEN_FRAME_BYTES + 1))).toThrow("too long");
});
