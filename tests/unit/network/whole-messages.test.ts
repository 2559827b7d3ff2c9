/** Streams over data channels send each message in one piece, as the WebRTC transport's specification has it. */
import type { Stream } from "@libp2p/interface";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { inWholeMessages } from "../../../src/network/whole-messages.ts";

const BUFFER_BYTES = 256 * 1024;
const MESSAGE_BYTES = 64 * 1024;

/** A channel that keeps what it is given, as real ones do, by copying it. */
function openChannel() {
  const sent: Uint8Array[] = [];
  const channel = {
    readyState: "open",
    bufferedAmount: 0,
    bufferedAmountLowThreshold: 0,
    send: (bytes: Uint8Array) => void sent.push(bytes.slice()),
  };
  const stream = {
    channel,
    maxBufferedAmount: BUFFER_BYTES,
    maxMessageSize: MESSAGE_BYTES,
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
      expect(stream.sendData(data)).toEqual({ sentBytes: sizeBytes, canSendMore: true });
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
    expect(sent[0]?.length).toBeLessThanOrEqual(MESSAGE_BYTES);
    expect(sent[0]?.at(-1)).toBe(1);
    expect(sent[1]).toEqual(Uint8Array.of(3, 18, 1, 2));
  });

  it("stops when the channel is full, goes on when it is half empty, and sends nothing once it has closed", () => {
    const { channel, stream, sent } = openChannel();
    expect(channel.bufferedAmountLowThreshold).toBe(BUFFER_BYTES / 2);
    channel.bufferedAmount = BUFFER_BYTES;
    const data = new Uint8ArrayList(Uint8Array.of(1));
    expect(stream.sendData(data)).toEqual({ sentBytes: 1, canSendMore: false });
    channel.readyState = "closing";
    expect(stream.sendData(data)).toEqual({ sentBytes: 0, canSendMore: false });
    expect(sent).toHaveLength(1);
  });
});

it("leaves streams of other transports as they are", () => {
  const stream = { maxMessageSize: MESSAGE_BYTES } as unknown as Stream;
  expect(inWholeMessages(stream)).toBe(stream);
  expect(stream).toEqual({ maxMessageSize: MESSAGE_BYTES });
});
