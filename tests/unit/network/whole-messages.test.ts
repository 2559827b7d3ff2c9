/** Streams over data channels send each message in one piece, as the WebRTC transport's specification has it. */
import type { Stream } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import {
  MAX_DATA_CHANNEL_BUFFER_BYTES,
  MAX_DATA_CHANNEL_MESSAGE_BYTES,
} from "../../../src/browser/limits.ts";
import { inWholeMessages } from "../../../src/network/libp2p/whole-messages.ts";

/** What a Chromium that receives keeps in its socket before it loses the rest. */
const SOCKET_BYTES = 64 * 1024;

/** A channel that sends nothing on, and keeps what it is given, as real ones do, by copying it. */
function openChannel() {
  const sent: Uint8Array[] = [];
  const channel = {
    readyState: "open",
    bufferedAmount: 0,
    bufferedAmountLowThreshold: 0,
    send: (bytes: Uint8Array) => {
      sent.push(bytes.slice());
      channel.bufferedAmount += bytes.length;
    },
  };
  const stream = {
    channel,
    maxBufferedAmount: MAX_DATA_CHANNEL_BUFFER_BYTES,
    maxMessageSize: MAX_DATA_CHANNEL_MESSAGE_BYTES,
    sendData: (data: Uint8ArrayList) => ({ sentBytes: data.byteLength, canSendMore: true }),
  };
  inWholeMessages(stream as unknown as Stream);
  return { channel, stream, sent };
}

function readVarint(bytes: Uint8Array, at: number): { value: number; end: number } {
  for (let value = 0, i = 0; ; i++) {
    const byte = bytes[at + i] as number;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return { value, end: at + i + 1 };
  }
}

describe("a stream over a data channel", () => {
  it.each([1, 125, 126, 127, 128, 16_380, 16_381, 16_384, 65_529])(
    "sends %i bytes as one message, with its length, field and payload",
    (sizeBytes) => {
      const { stream, sent } = openChannel();
      const payload = Uint8Array.from({ length: sizeBytes }, (_, i) => i % 251);
      const cut = Math.floor(sizeBytes / 3);
      const data = new Uint8ArrayList(payload.subarray(0, cut), payload.subarray(cut));
      expect(stream.sendData(data).sentBytes).toBe(sizeBytes);
      expect(sent).toHaveLength(1);
      const [message] = sent as [Uint8Array];
      const whole = readVarint(message, 0);
      expect(message.length - whole.end).toBe(whole.value);
      expect(message[whole.end]).toBe((2 << 3) | 2);
      const field = readVarint(message, whole.end + 1);
      expect(field.value).toBe(sizeBytes);
      expect(message.subarray(field.end)).toEqual(payload);
    },
  );

  it("keeps one message apart from the next, and each within the longest", () => {
    const { stream, sent } = openChannel();
    stream.sendData(new Uint8ArrayList(new Uint8Array(stream.maxMessageSize).fill(1)));
    stream.sendData(new Uint8ArrayList(Uint8Array.of(2)));
    expect(sent[0]?.length).toBeLessThanOrEqual(MAX_DATA_CHANNEL_MESSAGE_BYTES);
    expect(sent[0]?.at(-1)).toBe(1);
    expect(sent[1]).toEqual(Uint8Array.of(3, 18, 1, 2));
  });

  it("queues no more than the socket of a Chromium that receives holds", () => {
    const { channel, stream } = openChannel();
    const message = new Uint8ArrayList(new Uint8Array(stream.maxMessageSize));
    while (stream.sendData(message).canSendMore);
    expect(channel.bufferedAmount).toBeLessThanOrEqual(SOCKET_BYTES);
  });

  it("stops when the channel is full, goes on when it is half empty, and sends nothing once it has closed", () => {
    const { channel, stream, sent } = openChannel();
    expect(channel.bufferedAmountLowThreshold).toBe(MAX_DATA_CHANNEL_BUFFER_BYTES / 2);
    channel.bufferedAmount = MAX_DATA_CHANNEL_BUFFER_BYTES;
    const data = new Uint8ArrayList(Uint8Array.of(1));
    expect(stream.sendData(data)).toEqual({ sentBytes: 1, canSendMore: false });
    channel.readyState = "closing";
    expect(stream.sendData(data)).toEqual({ sentBytes: 0, canSendMore: false });
    expect(sent).toHaveLength(1);
  });
});

it("leaves streams of other transports as they are", () => {
  const stream = { maxMessageSize: MAX_DATA_CHANNEL_MESSAGE_BYTES } as unknown as Stream;
  expect(inWholeMessages(stream)).toBe(stream);
  expect(stream).toEqual({ maxMessageSize: MAX_DATA_CHANNEL_MESSAGE_BYTES });
});
