/**
 * Bounds what a peer makes yamux do by frames of twelve bytes, and what it keeps for one frame. The library answers every ping,
 * also of who reads no answers, opens streams that are reset at once as fast as they come, and gathers a frame of any length
 * before it looks at the window: three peers held up a node for 43 s and took 3 GB. Called by sparing-yamux for each connection.
 * Source: https://github.com/hashicorp/yamux/blob/master/spec.md#framing
 */
import { InvalidMessageError, type Stream } from "@libp2p/interface";
import type { Uint8ArrayList } from "uint8arraylist";
import { systemClock } from "../../sharing/system-clock.ts";
import { MAX_TAKEN_FRAME_BYTES } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import {
  SHORT_FRAME_BURST,
  SHORT_FRAME_BYTES,
  SHORT_FRAMES_PER_SECOND,
  VAIN_STREAM_BURST,
  VAIN_STREAMS_PER_SECOND,
  YAMUX_PING_BURST,
  YAMUX_PINGS_PER_SECOND,
} from "./limits.ts";

const HEADER_BYTES = 12;
const TYPE_AT = 1;
const LENGTH_AT = 8;
const DATA = 0;

/** What the library's types don't show of its muxer. */
export interface FrameReader {
  decoder: { buffer: Uint8ArrayList; readFrame(): unknown };
  sendFrame(header: { type: number; length: number }, data?: Uint8ArrayList): boolean;
  handlePing(header: unknown): void;
  incomingStream(id: number): void;
  numInboundStreams: number;
  maxInboundStreams: number;
}

/** What throws in here ends the connection. Gives what every stream of it is to be shown to. */
export function boundFrames(
  reader: FrameReader,
): (stream: Pick<Stream, "direction" | "protocol" | "addEventListener">) => void {
  const { decoder } = reader;
  const readFrame = decoder.readFrame.bind(decoder);
  const shortFrames = rate(SHORT_FRAME_BURST, SHORT_FRAMES_PER_SECOND);
  /** Frames with data that the peer has not answered yet with some of its window. */
  let unanswered = 0;
  const sendFrame = reader.sendFrame.bind(reader);
  reader.sendFrame = (header, data) => {
    if (header.type === DATA) unanswered = Math.min(unanswered + 1, SHORT_FRAME_BURST);
    return sendFrame(header, data);
  };
  let isFlooded = false;
  decoder.readFrame = () => {
    if (isFlooded) throw new InvalidMessageError("too many streams in vain");
    const { buffer } = decoder;
    const dataBytes =
      buffer.byteLength >= HEADER_BYTES && buffer.getUint8(TYPE_AT) === DATA
        ? buffer.getUint32(LENGTH_AT)
        : 0;
    if (dataBytes > MAX_TAKEN_FRAME_BYTES) throw new InvalidMessageError("a frame is too long");
    const frame = readFrame();
    if (frame === undefined || dataBytes >= SHORT_FRAME_BYTES) return frame;
    if (unanswered > 0) unanswered -= 1;
    else if (!shortFrames()) throw new InvalidMessageError("too many short frames");
    return frame;
  };
  const pings = rate(YAMUX_PING_BURST, YAMUX_PINGS_PER_SECOND);
  const handlePing = reader.handlePing.bind(reader);
  reader.handlePing = (header) => {
    if (!pings()) throw new InvalidMessageError("too many pings");
    handlePing(header);
  };
  const vain = rate(VAIN_STREAM_BURST, VAIN_STREAMS_PER_SECOND);
  const onVain = () => {
    isFlooded ||= !vain();
  };
  const incomingStream = reader.incomingStream.bind(reader);
  reader.incomingStream = (id) => {
    if (reader.numInboundStreams >= reader.maxInboundStreams) onVain();
    incomingStream(id);
  };
  return (stream) => {
    stream.addEventListener("close", () => {
      if (stream.direction === "inbound" && stream.protocol === "") onVain();
    });
  };
}

function rate(burst: number, perSecond: number): () => boolean {
  const messages = new MessageRate(systemClock, { burst, perSecond, maxKeys: 1 });
  return () => messages.take("");
}
