/**
 * Whether chunks are imported, fetched or served just now, for what should not take memory beside that. Made by open-search;
 * looks at the block store's buffers, which every chunk on its way takes one of.
 */
import type { ChunkBuffers } from "../sharing/chunk-buffers.ts";
import type { Clock } from "../sharing/ports.ts";
import { CHUNKS_REST_MS } from "./limits.ts";

/** Gives a function to be called from time to time: true until a while after the last chunk. */
export function chunksMove(
  buffers: Pick<ChunkBuffers, "takenCount">,
  clock: Pick<Clock, "monotonic">,
): () => boolean {
  let seenCount = buffers.takenCount;
  let movedMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonic();
    if (buffers.takenCount !== seenCount) movedMs = nowMs;
    seenCount = buffers.takenCount;
    return nowMs - movedMs < CHUNKS_REST_MS;
  };
}
