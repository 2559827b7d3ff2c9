/** Which short frames of a peer count: those that answer nothing. That the others end a connection is an attack's test. */
import { Uint8ArrayList } from "uint8arraylist";
import { expect, it } from "vitest";
import { boundFrames } from "../../../src/network/libp2p/bounded-frames.ts";
import { SHORT_FRAME_BURST, SHORT_FRAMES_PER_SECOND } from "../../../src/network/libp2p/limits.ts";

const DATA = { type: 0, length: 65_536 };
const WINDOW_UPDATE = new Uint8Array([0, 1, 0, 0, 0, 0, 0, 7, 0, 0, 0x80, 0]);

/** A muxer that reads the same frame whenever it is asked. */
function someMuxer() {
  const reader = {
    decoder: { buffer: new Uint8ArrayList(WINDOW_UPDATE), readFrame: () => "a frame" },
    sendFrame: () => true,
    handlePing: () => undefined,
    incomingStream: () => undefined,
    numInboundStreams: 0,
    maxInboundStreams: 1,
  };
  boundFrames(reader);
  return reader as { sendFrame(header: typeof DATA): boolean } & Omit<typeof reader, "sendFrame">;
}

it("a peer may answer each frame of data, however fast they go", () => {
  const { sendFrame, decoder } = someMuxer();
  for (let sent = 0; sent < 4 * SHORT_FRAME_BURST; sent++) {
    sendFrame(DATA);
    expect(decoder.readFrame()).toBe("a frame");
  }
});

it("what was not answered is no store for more than a burst", () => {
  const { sendFrame, decoder } = someMuxer();
  for (let sent = 0; sent < 4 * SHORT_FRAME_BURST; sent++) sendFrame(DATA);
  const readMany = () => {
    for (let read = 0; read < 4 * SHORT_FRAME_BURST + SHORT_FRAMES_PER_SECOND; read++) decoder.readFrame();
  };
  expect(readMany).toThrow("too many short frames");
});
