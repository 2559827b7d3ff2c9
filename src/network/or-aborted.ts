/** Work on a stream that is its alone: where it goes wrong, the other end is not left waiting. Called by the protocols here. */
import type { Stream } from "@libp2p/interface";

/** @throws what `work` throws */
export async function orAborted<T>(stream: Stream, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    abortFor(stream, error);
    throw error;
  }
}

export function abortFor(stream: Stream, error: unknown): void {
  stream.abort(error instanceof Error ? error : new Error(String(error)));
}
