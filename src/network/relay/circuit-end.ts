/**
 * One end of a circuit that this relay carries, as the library joins two of them. What that makes of a stream by itself takes all that
 * comes however slowly the other end reads, and of the stream of who dialled it makes two, one of which nobody reads: what was sent
 * stayed in memory until the circuit ended. Made by relay-server.
 * Source: `createLimitedRelay` of @libp2p/circuit-relay-v2 4.2, `pipe` of @libp2p/utils 7.4
 */
import type { Stream, StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";
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
  return {
    source: messagesOf(stream),
    async sink(source) {
      for await (const bytes of source) {
        if (stream.writeStatus !== "writable") break;
        if (!stream.send(bytes)) await stream.onDrain();
      }
      await stream.close();
    },
    abort: (error) => stream.abort(error),
  };
}

/** Listens from now on, and has the other end wait while nobody reads. */
function messagesOf(stream: Stream): AsyncGenerator<Bytes> {
  const come: Bytes[] = [];
  const news = new Bell();
  const { signal } = new AbortController();
  let bytesHeld = 0;
  let isOver = false;
  let error: Error | undefined;

  // Data channels can't be told to wait; who is at their other end is, by whom it talks to.
  stream.maxReadBufferLength = MAX_PAUSED_CIRCUIT_BYTES;
  stream.addEventListener("message", ({ data }: StreamMessageEvent) => {
    come.push(data);
    bytesHeld += data.byteLength;
    if (bytesHeld >= MAX_CIRCUIT_BYTES && stream.readStatus === "readable") stream.pause();
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
    for (;;) {
      // What came while it was paused comes now, also after the end.
      if (stream.readStatus === "paused" && bytesHeld < MAX_CIRCUIT_BYTES / 2) stream.resume();
      const next = come.shift();
      if (next !== undefined) {
        yield next;
        bytesHeld -= next.byteLength;
      } else if (error !== undefined) throw error;
      else if (isOver) return;
      else await news.wait(signal);
    }
  })();
}
