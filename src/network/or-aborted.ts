/**
 * Work on a stream that is its alone, or a connection: where it goes wrong, the other end is not left waiting. Called by the
 * protocols here, and sound-web-sockets.
 */
import type { Stream } from "@libp2p/interface";
import { SharingError } from "../sharing/errors.ts";

/** @throws what `work` throws */
export async function orAborted<T>(stream: Pick<Stream, "abort">, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    abortFor(stream, error);
    throw error;
  }
}

/** Aborts once the stream has ended: nobody is at its other end for whom to go on. */
export function endOf(stream: Stream): AbortSignal {
  const ended = new AbortController();
  const end = () => ended.abort(new SharingError("peer_lost", "the stream has ended"));
  stream.addEventListener("close", end, { once: true });
  return ended.signal;
}

export function abortFor(stream: Pick<Stream, "abort">, error: unknown): void {
  stream.abort(error instanceof Error ? error : new Error(String(error)));
}
