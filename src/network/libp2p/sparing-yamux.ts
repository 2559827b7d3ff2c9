/**
 * libp2p's yamux, which answers every message on a stream with one that gives the sender as much of its window back. Here that
 * waits until it is worth a message: a node pays for each of them, small or long, and over a relay, whose circuits are muxed
 * streams within muxed streams, each message was followed by six of this kind. Called by libp2p-node.
 * Source: https://github.com/libp2p/specs/blob/master/yamux/README.md; `sendWindowUpdate` of @libp2p/yamux 8.0.
 */
import type { Stream } from "@libp2p/interface";
import { type YamuxMuxerInit, yamux } from "@libp2p/yamux";
import type { Uint8ArrayList } from "uint8arraylist";
import { MAX_FRAME_BYTES } from "../limits.ts";
import { boundFrames, type FrameReader } from "./bounded-frames.ts";
import { MIN_WINDOW_UPDATE_BYTES } from "./limits.ts";
import { letGoodbyeBeUnheard } from "./unheard-goodbye.ts";

/** What the library's types don't show of its streams. */
interface YamuxStream extends Pick<Stream, "direction" | "protocol" | "addEventListener"> {
  sendData(data: Uint8ArrayList): { sentBytes: number; canSendMore: boolean };
  recvWindow: number;
  recvWindowCapacity: number;
  sendWindowUpdate(): void;
}

interface OpenMuxer extends FrameReader {
  _newStream(...parts: unknown[]): YamuxStream;
}

export function sparingYamux(init: YamuxMuxerInit): ReturnType<typeof yamux> {
  const create = yamux(init);
  return () => {
    const factory = create();
    const createMuxer = factory.createStreamMuxer.bind(factory);
    factory.createStreamMuxer = (connection) => {
      const muxer = createMuxer(connection);
      letGoodbyeBeUnheard(muxer);
      const open = muxer as unknown as OpenMuxer;
      const newStream = open._newStream.bind(muxer);
      const watch = boundFrames(open);
      open._newStream = (...parts) => {
        const stream = inShortFrames(madeSparing(newStream(...parts)));
        watch(stream);
        return stream;
      };
      return muxer;
    };
    return factory;
  };
}

function madeSparing(stream: YamuxStream): YamuxStream {
  const update = stream.sendWindowUpdate.bind(stream);
  // The first opens the stream at the other end, or acknowledges that it was opened.
  let isFirst = true;
  stream.sendWindowUpdate = () => {
    const usedBytes = stream.recvWindow - stream.recvWindowCapacity;
    if (!isFirst && usedBytes < MIN_WINDOW_UPDATE_BYTES) return;
    isFirst = false;
    update();
  };
  return stream;
}

/** The library makes one frame of all that waits and that the window has room for. */
function inShortFrames(stream: YamuxStream): YamuxStream {
  const send = stream.sendData.bind(stream);
  stream.sendData = (data) => {
    let sentBytes = 0;
    let canSendMore = true;
    while (canSendMore && data.byteLength > 0) {
      const sent = send(data.sublist(0, Math.min(MAX_FRAME_BYTES, data.byteLength)));
      data.consume(sent.sentBytes);
      sentBytes += sent.sentBytes;
      canSendMore = sent.canSendMore;
    }
    return { sentBytes, canSendMore };
  };
  return stream;
}
