/** How many chunks are asked of one peer at a time. */
import { expect, it } from "vitest";
import { RequestWindow } from "../../../src/sharing/download/request-window.ts";
import { CHUNK_BYTES, MIN_REQUESTS } from "../../../src/sharing/limits.ts";

/** Of a peer that answers each request after `elapsedMs`, and brings a chunk every `gapMs`. */
function windowOf(elapsedMs: number, gapMs: number, max = 100): RequestWindow {
  const window = new RequestWindow(max);
  for (let nth = 0; nth < 50; nth++) window.delivered(nth * gapMs, elapsedMs, CHUNK_BYTES);
  return window;
}

it.each([
  ["one and a half round trips", 1000, 100, 16],
  ["half a second where those are shorter", 10, 10, 51],
  ["three seconds where they are longer", 10_000, 100, 31],
])("they are what comes in %s, and one more", (_, elapsedMs, gapMs, size) => {
  const window = windowOf(elapsedMs, gapMs);
  expect(window.size).toBe(size);
  expect(window.bytesPerSecond).toBeCloseTo((CHUNK_BYTES / gapMs) * 1000, -4);
});

it("they are no fewer than some of a slow peer, and no more than the transport bears", () => {
  expect(windowOf(10_000, 10_000).size).toBe(MIN_REQUESTS);
  expect([windowOf(10, 10, 7).size, windowOf(10, 10, 2).size, new RequestWindow(2).size]).toEqual([7, 2, 2]);
});

it("one delivery that is long in coming makes them fewer by its share, and not all at once", () => {
  const window = windowOf(1000, 100);
  window.delivered(49 * 100 + 1000, 1000, CHUNK_BYTES);
  // The mean gap of the last four, of which three are as before, is 325 ms.
  expect(window.bytesPerSecond).toBeCloseTo((CHUNK_BYTES / 325) * 1000, -4);
  expect(window.size).toBe(6);
});
