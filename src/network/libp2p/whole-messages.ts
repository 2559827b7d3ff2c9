/**
 * Streams over data channels that send each message in one piece. libp2p sends its length by itself before it, which is
 * a message too and costs as much, copies what it sends twice, and lets the channel run dry before it goes on. Called by
 * the network for the streams of the exchange, which carry the bytes of files; the receiver sees the same bytes.
 *
 *   varint  length of what follows
 *   0x12    protobuf: field 2, bytes
 *   varint  length of the payload, then the payload
 *
 * Source: https://github.com/libp2p/specs/tree/master/webrtc#multiplexing; `sendData` of @libp2p/webrtc 6.0.
 */
import type { Stream } from "@libp2p/interface";
import type { Uint8ArrayList } from "uint8arraylist";

/** What the library's types don't show of its streams. */
interface DataChannelStream extends Stream {
  channel: Pick<RTCDataChannel, "readyState" | "bufferedAmount" | "bufferedAmountLowThreshold" | "send">;
  maxBufferedAmount: number;
  maxMessageSize: number;
  sendData(data: Uint8ArrayList): { sentBytes: number; canSendMore: boolean };
}

const MESSAGE_FIELD = 0x12;

/** Bytes of the two lengths and the field's tag, at most, of messages below 2 MiB. */
const HEAD_BYTES = 7;

/** A channel copies what it is given before `send` returns, so one buffer does for all. */
let scratch = new Uint8Array(0);

/** Gives the stream, which is left as it is over other transports. */
export function inWholeMessages(stream: Stream): Stream {
  if (!isOverDataChannel(stream)) return stream;
  const { channel, maxBufferedAmount } = stream;
  channel.bufferedAmountLowThreshold = maxBufferedAmount / 2;
  // The library counts the length as no part of the message.
  stream.maxMessageSize -= HEAD_BYTES;
  stream.sendData = (data) => {
    if (channel.readyState !== "open") return { sentBytes: 0, canSendMore: false };
    channel.send(encode(data));
    return { sentBytes: data.byteLength, canSendMore: channel.bufferedAmount < maxBufferedAmount };
  };
  return stream;
}

function isOverDataChannel(stream: Stream): stream is DataChannelStream {
  return "channel" in stream && "sendData" in stream && "maxBufferedAmount" in stream;
}

/** A view that holds until the next call. */
function encode(data: Uint8ArrayList): Uint8Array<ArrayBuffer> {
  const { byteLength } = data;
  if (scratch.byteLength < byteLength + HEAD_BYTES) scratch = new Uint8Array(byteLength + HEAD_BYTES);
  let at = putVarint(0, 1 + varintBytes(byteLength) + byteLength);
  scratch[at] = MESSAGE_FIELD;
  at = putVarint(at + 1, byteLength);
  for (const piece of data) {
    scratch.set(piece, at);
    at += piece.byteLength;
  }
  return scratch.subarray(0, at);
}

function varintBytes(value: number): number {
  return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : 3;
}

/** Gives where it ends. */
function putVarint(at: number, value: number): number {
  let place = at;
  let rest = value;
  while (rest >= 0x80) {
    scratch[place++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  scratch[place++] = rest;
  return place;
}
