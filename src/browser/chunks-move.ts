/**
 * Whether chunks are imported, fetched or served fast just now, for what should not take memory, or the line, beside
 * that. Made by open-search and start-node; looks at the block store's buffers, which every chunk on its way takes one
 * of.
 */
import type { ChunkBuffers } from "../sharing/files/chunk-buffers.ts";
import type { Clock } from "../sharing/ports.ts";
import { CHUNKS_REST_MS, FIRST_CHUNKS, SLOW_CHUNKS_PER_SECOND } from "./limits.ts";

const MAX_LEVEL = FIRST_CHUNKS + (SLOW_CHUNKS_PER_SECOND * CHUNKS_REST_MS) / 1000;

/**
 * Gives a function to be called from time to time: true from some chunks in a row until a while after the last. A leaky bucket,
 * so that a slow transfer never fills it.
 */
export function chunksMove(
  buffers: Pick<ChunkBuffers, "takenCount">,
  clock: Pick<Clock, "monotonic">,
): () => boolean {
  let seenCount = buffers.takenCount;
  let seenMs = clock.monotonic();
  let level = 0;
  return () => {
    const nowMs = clock.monotonic();
    const leaked = ((nowMs - seenMs) / 1000) * SLOW_CHUNKS_PER_SECOND;
    level = Math.min(Math.max(0, level - leaked) + buffers.takenCount - seenCount, MAX_LEVEL);
    seenMs = nowMs;
    seenCount = buffers.takenCount;
    return level > FIRST_CHUNKS;
  };
}
