/** Whether chunks are on their way fast, as the page's search asks. */
import { expect, it } from "vitest";
import { chunksMove } from "../../../src/browser/chunks-move.ts";
import { CHUNKS_REST_MS, FIRST_CHUNKS, SLOW_CHUNKS_PER_SECOND } from "../../../src/browser/limits.ts";
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";

function watched() {
  const buffers = new ChunkBuffers();
  const clock = { nowMs: 1_000_000 };
  const isMoving = chunksMove(buffers, { monotonic: () => clock.nowMs });
  // One used again is another chunk.
  const move = (count: number) => {
    for (let i = 0; i < count; i++) buffers.give(buffers.take());
  };
  return { clock, isMoving, move };
}

it("they are from the first few in a row until a while after the last", () => {
  const { clock, isMoving, move } = watched();
  expect(isMoving()).toBe(false);
  move(FIRST_CHUNKS);
  expect(isMoving()).toBe(false);
  move(1);
  expect(isMoving()).toBe(true);
  move(1000);
  expect(isMoving()).toBe(true);
  clock.nowMs += CHUNKS_REST_MS - 1;
  expect(isMoving()).toBe(true);
  clock.nowMs += 1;
  expect(isMoving()).toBe(false);
});

it("they are not while they come slowly, for however long", () => {
  const { clock, isMoving, move } = watched();
  for (let chunk = 0; chunk < 1000; chunk++) {
    move(1);
    clock.nowMs += 1000 / SLOW_CHUNKS_PER_SECOND;
    expect(isMoving()).toBe(false);
  }
});
