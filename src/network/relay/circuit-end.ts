/**
 * One end of a circuit that this relay carries, as the library joins two of them. What that makes of a stream by itself
 * takes all that comes however slowly the other end reads, and of the stream of who dialled it makes two, one of which
 * nobody reads: what was sent stayed in memory until the circuit ended. Made by relay-server.
 * Source: `createLimitedRelay` of @libp2p/circuit-relay-v2 4.2, `pipe` of @libp2p/utils 7.4
 */
import {
  type Stream,
  type StreamCloseEvent,
  type StreamMessageEvent,
  StreamResetError,
} from "@libp2p/interface";
import type { Uint8ArrayList } from "uint8arraylist";
import { Bell } from "../../sharing/bell.ts";
import { MAX_CIRCUIT_BYTES, MAX_PAUSED_CIRCUIT_BYTES } from "./limits.ts";

type Bytes = Uint8Array | Uint8ArrayList;

export interface CircuitEnd {
  /** What comes, for one reader. @throws why the stream broke off */
  source: AsyncGenerator<Bytes>;
  /** Sends all of it, no faster than it is taken, and closes. */
  sink(source: AsyncIterable<Bytes>): Promise<void>;
  abort(error: Error): void;
}

export function circuitEnd(stream: Stream): CircuitEnd {
  let endings = 0;
  // Of who is gone nobody reads any more, and nobody hears: the library would keep the other end for as long as that stays.
  const ended = () => {
    endings += 1;
    if (endings === 2) stream.abort(new Error("the circuit's other end is gone"));
  };
  const room = new Bell();
  const { signal } = new AbortController();
  stream.addEventListener("drain", () => room.ring());
  stream.addEventListener("close", () => room.ring(), { once: true });
  return {
    source: messagesOf(stream, ended),
    async sink(source) {
      try {
        for await (const bytes of source) {
          if (stream.writeStatus !== "writable") break;
          stream.send(bytes);
          // The library's onDrain waits once and then no more.
          while (stream.writableNeedsDrain && stream.writeStatus === "writable") await room.wait(signal);
        }
        await stream.close();
      } catch (error) {
        stream.abort(error instanceof Error ? error : new Error("the circuit broke off", { cause: error }));
        throw error;
      } finally {
        ended();
      }
    },
    abort: (error) => stream.abort(error),
  };
}

/** Listens from now on, and has the other end wait while nobody reads. */
function messagesOf(stream: Stream, onEnd: () => void): AsyncGenerator<Bytes> {
  const come: Bytes[] = [];
  const news = new Bell();
  const { signal } = new AbortController();
  let bytesHeld = 0;
  // It may have ended while the circuit was asked for.
  let isOver = stream.remoteWriteStatus === "closed";
  let error: Error | undefined = stream.status === "reset" ? new StreamResetError() : undefined;
  let isResuming = false;

  const resume = () => {
    isResuming = true;
    try {
      stream.resume();
    } catch {
      // What had come is here; who sent it, and is to hear that it may send more, is gone.
    }
    isResuming = false;
  };

  // Data channels can't be told to wait; who is at their other end is, by whom it talks to.
  stream.maxReadBufferLength = MAX_PAUSED_CIRCUIT_BYTES;
  stream.addEventListener("message", ({ data }: StreamMessageEvent) => {
    come.push(data);
    bytesHeld += data.byteLength;
    // Within `resume` it would be paused only in name, and the other end never wait again.
    if (bytesHeld >= MAX_CIRCUIT_BYTES && stream.readStatus === "readable" && !isResuming) stream.pause();
    news.ring();
  });
  const end = () => {
    isOver = true;
    news.ring();
  };
  stream.addEventListener("remoteCloseWrite", end, { once: true });
  stream.addEventListener(
    "close",
    (event: StreamCloseEvent) => {
      error = event.error;
      end();
    },
    { once: true },
  );

  return (async function* () {
    try {
      for (;;) {
        // What came while it was paused comes now, also after the end.
        if (stream.readStatus === "paused" && bytesHeld < MAX_CIRCUIT_BYTES / 2) resume();
        const next = come.shift();
        if (next !== undefined) {
          yield next;
          bytesHeld -= next.byteLength;
        } else if (error !== undefined) throw error;
        else if (isOver && stream.readBufferLength === 0) return;
        else await news.wait(signal);
      }
    } finally {
      onEnd();
    }
  })();
}
