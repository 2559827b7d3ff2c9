import type { Stream } from "@libp2p/interface";
import { expect, it } from "vitest";
import { encodeDataHeader, encodeMessage, type Message } from "../../../src/exchange/messages.ts";
import { Wire } from "../../../src/exchange/wire.ts";
import { SharingError } from "../../../src/sharing/errors.ts";

it("a conversation that ends at one frame hears nothing of those behind it", () => {
  const stream = Object.assign(new EventTarget(), { status: "open", abort: () => {} });
  const heard: unknown[] = [];
  const wire = new Wire(stream as unknown as Stream, {
    onMessage: ({ type }) => {
      heard.push(type);
      if (type === "cancel") wire.fail(new SharingError("peer_lost", "the stream takes no more bytes"));
    },
    onData: (requestId) => heard.push(requestId),
    onWritable: () => {},
    onClosed: ({ name }) => heard.push(name),
  });
  const frames: (Message | Uint8Array)[] = [
    { type: "missing", requestId: 1 },
    { type: "cancel", requestId: 1 },
    { type: "missing", requestId: 2 },
    encodeDataHeader(3, 1),
    Uint8Array.of(0),
  ];
  const data = Buffer.concat(frames.map((it) => (it instanceof Uint8Array ? it : encodeMessage(it))));
  stream.dispatchEvent(Object.assign(new Event("message"), { data }));
  expect(heard).toEqual(["missing", "cancel", "peer_lost"]);
});
