/** One stream as a flow of frames, on a stream made by hand. */
import type { Stream } from "@libp2p/interface";
import { streamPair } from "@libp2p/utils";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";
import { encodeDataHeader, encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";
import { Wire } from "../../../src/exchange/wire/wire.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { HandStream } from "./hand-stream.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const lost = new SharingError("peer_lost", "the peer reads nothing");

/** A wire, and what its handler hears. */
function openWireOn(stream: Stream, onMessage: (message: Message, wire: Wire) => void = () => {}) {
  const heard: unknown[] = [];
  const wire: Wire = new Wire(stream, {
    onMessage: (message) => {
      heard.push(message.type);
      onMessage(message, wire);
    },
    onData: (requestId) => heard.push(requestId),
    onWritable: () => heard.push("writable"),
    onClosed: ({ name }) => heard.push(name),
  });
  return { wire, heard };
}

function openWire(stream = new HandStream(), onMessage?: (message: Message, wire: Wire) => void) {
  return {
    stream,
    arrive: stream.arrive.bind(stream),
    ...openWireOn(stream as unknown as Stream, onMessage),
  };
}

describe("a conversation", () => {
  it("that ends at one frame hears nothing of those behind it", () => {
    const { heard, arrive } = openWire(new HandStream(), ({ type }, wire) => {
      if (type === "cancel") wire.fail(lost);
    });
    arrive(
      { type: "missing", requestId: 1 },
      { type: "cancel", requestId: 1 },
      { type: "missing", requestId: 2 },
      encodeDataHeader(3, 1),
      Uint8Array.of(0),
    );
    expect(heard).toEqual(["missing", "cancel", "peer_lost"]);
  });

  it("hears nothing of what comes in further pieces of one message, either", () => {
    const { stream, heard } = openWire(new HandStream(), (_, wire) => wire.fail(lost));
    const missing = encodeMessage({ type: "missing", requestId: 1 });
    const data = new Uint8ArrayList(missing, Uint8Array.of(0));
    expect(() => stream.dispatchEvent(Object.assign(new Event("message"), { data }))).not.toThrow();
    expect(heard).toEqual(["missing", "peer_lost"]);
  });

  it("reads nothing while it is paused, then the rest in order, and lets its stream bring more once all is read", () => {
    const { stream, wire, heard } = openWire(new HandStream(), (_, paused) => paused.pause());
    const frames = [1, 2, 3].map((requestId) => encodeMessage({ type: "missing", requestId }));
    const data = new Uint8ArrayList(...frames);
    const seen = () => [heard.length, stream.isPaused];
    stream.dispatchEvent(Object.assign(new Event("message"), { data }));
    expect(seen()).toEqual([1, true]);
    wire.resume();
    wire.resume();
    expect(seen()).toEqual([3, true]);
    wire.resume();
    expect(seen()).toEqual([3, false]);
    stream.arrive({ type: "missing", requestId: 4 });
    expect(seen()).toEqual([4, true]);
    wire.fail(lost);
    wire.resume();
    expect(stream.isPaused).toBe(true);
  });

  it("whose stream was reset before it began can be paused, and ends", async () => {
    const [theirs, ours] = await streamPair();
    theirs.abort(lost);
    await expect.poll(() => ours.readStatus).toBe("closed");
    const { wire, heard } = openWireOn(ours);
    expect(() => wire.pause()).not.toThrow();
    await turn();
    expect(heard).toEqual(["peer_lost"]);
  });

  it("ends where its connection is closing, and the peer can't be told that it may send more", () => {
    const { stream, wire, heard } = openWire();
    wire.pause();
    stream.deafness = new Error("Cannot write to a stream that is closing");
    wire.resume();
    expect([heard, stream.ends]).toEqual([["peer_lost"], [expect.objectContaining({ name: "peer_lost" })]]);
  });

  it.each(["remoteCloseWrite", "close"])(
    "ends with the peer's %s, once, with what is queued sent",
    async (event) => {
      const { stream, wire, heard } = openWire();
      wire.queue(Uint8Array.of(1));
      stream.dispatchEvent(new Event(event));
      expect(heard).toEqual(["peer_lost"]);
      stream.dispatchEvent(new Event("remoteCloseWrite"));
      stream.dispatchEvent(new Event("close"));
      await turn();
      expect([heard, stream.sent, stream.ends]).toEqual([["peer_lost"], [[1]], ["closed"]]);
    },
  );

  it.each([{ status: "closed" }, { remoteWriteStatus: "closed" }])(
    "ends at once on a stream that is over: %o",
    async (state) => {
      const { heard } = openWire(Object.assign(new HandStream(), state));
      expect(heard).toEqual([]);
      const failed = openWire(Object.assign(new HandStream(), state));
      failed.wire.fail(lost);
      await turn();
      expect([heard, failed.heard]).toEqual([["peer_lost"], ["peer_lost"]]);
    },
  );

  it("that fails resets the stream and tells why, once; nothing is sent or heard any more", async () => {
    const { stream, wire, heard, arrive } = openWire();
    wire.queue(Uint8Array.of(1));
    wire.fail(lost);
    wire.fail(lost);
    wire.close();
    wire.send(Uint8Array.of(2));
    wire.queue(Uint8Array.of(3));
    arrive({ type: "missing", requestId: 1 });
    stream.drain();
    await turn();
    expect([heard, stream.sent, stream.ends, wire.isWritable]).toEqual([["peer_lost"], [], [lost], false]);
  });

  it("that is closed sends what is queued, tells nobody, and resets a stream that can't be closed", async () => {
    const { stream, wire, heard } = openWire();
    const late = new Error("late");
    stream.closing = Promise.reject(late);
    wire.queue(Uint8Array.of(1));
    wire.close();
    wire.close();
    await turn();
    expect([heard, stream.sent, stream.ends]).toEqual([[], [[1]], ["closed", late]]);
  });

  it.each<[string, (own: ReturnType<typeof openWire>) => void, string[]]>([
    [
      "is reset behind what asks for more",
      ({ stream }) => stream.dispatchEvent(new Event("close")),
      ["peer_lost"],
    ],
    ["is closed", ({ wire }) => wire.close(), []],
  ])("that %s ends once, though its stream takes no more of what is queued", (_, end, ends) => {
    const own = openWire();
    own.stream.refusal = new Error("Cannot write to a stream that is closed");
    own.wire.queue(Uint8Array.of(1));
    end(own);
    expect(own.heard).toEqual(ends);
  });

  it("fails when the stream takes nothing", () => {
    const { stream, wire, heard } = openWire();
    stream.refusal = new Error("closed");
    wire.send(Uint8Array.of(1));
    expect([heard, stream.ends]).toEqual([
      ["peer_lost"],
      [expect.objectContaining({ cause: stream.refusal })],
    ]);
  });

  it("fails with what breaks the protocol", () => {
    const { stream, heard, arrive } = openWire();
    arrive(Uint8Array.of(0));
    expect([heard, stream.ends]).toEqual([["protocol_error"], [expect.any(SharingError)]]);
  });
});

describe("what is queued", () => {
  it("goes together, in order, once the stream takes it", async () => {
    const { stream, wire, heard } = openWire();
    wire.queue(Uint8Array.of(1));
    wire.queue(Uint8Array.of(2));
    await turn();
    expect(stream.sent).toEqual([[1, 2]]);
    stream.writableNeedsDrain = true;
    wire.queue(Uint8Array.of(3));
    await turn();
    // Another stream's window has opened: libp2p wakes this one, too.
    stream.drain(5);
    await turn();
    expect([stream.sent, heard]).toEqual([[[1, 2]], []]);
    stream.drain();
    await turn();
    expect([stream.sent, heard]).toEqual([[[1, 2], [3]], ["writable"]]);
  });

  it("comes before what the handler would send, which waits where that fills the stream", async () => {
    const { stream, wire, heard } = openWire();
    stream.writableNeedsDrain = true;
    wire.queue(Uint8Array.of(1));
    await turn();
    const send = stream.send.bind(stream);
    stream.send = (bytes) => {
      send(bytes);
      stream.writableNeedsDrain = true;
    };
    stream.drain();
    await turn();
    expect([stream.sent, heard, wire.isWritable]).toEqual([[[1]], [], false]);
  });

  it("is looked at once libp2p has emptied its own buffer, in a microtask of the same event", async () => {
    const { stream, heard } = openWire();
    stream.writeBufferLength = 5;
    stream.dispatchEvent(new Event("drain"));
    stream.writeBufferLength = 0;
    await turn();
    expect([heard, stream.sent]).toEqual([["writable"], []]);
  });
});
