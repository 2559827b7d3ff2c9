/** Whether chunks are on their way, as the page's search asks. */
import { expect, it } from "vitest";
import { chunksMove } from "../../../src/browser/chunks-move.ts";
import { CHUNKS_REST_MS } from "../../../src/browser/limits.ts";
import { ChunkBuffers } from "../../../src/sharing/chunk-buffers.ts";

it("they are from the first buffer taken until a while after the last", () => {
  const buffers = new ChunkBuffers();
  let nowMs = 1_000_000;
  const isMoving = chunksMove(buffers, { monotonic: () => nowMs });
  expect(isMoving()).toBe(false);
  const buffer = buffers.take();
  expect(isMoving()).toBe(true);
  nowMs += CHUNKS_REST_MS - 1;
  expect(isMoving()).toBe(true);
  buffers.give(buffer);
  // One used again is another chunk.
  buffers.take();
  expect(isMoving()).toBe(true);
  nowMs += CHUNKS_REST_MS - 1;
  expect(isMoving()).toBe(true);
  nowMs += 1;
  expect(isMoving()).toBe(false);
});
