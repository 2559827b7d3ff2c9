/** How many chunks are asked of one peer at a time: src/sharing/download/request-window. */
import { expect, it } from "vitest";
import { RequestWindow } from "../../../src/sharing/download/request-window.ts";
import { CHUNK_BYTES, MAX_QUEUE_MS, MIN_QUEUE_MS, MIN_REQUESTS } from "../../../src/sharing/limits.ts";

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

/** Deliveries of a link with that speed and delay, the window always full. */
function settle(bytesPerMs: number, delayMs: number, max: number): number {
  const window = new RequestWindow(max);
  const chunkMs = CHUNK_BYTES / bytesPerMs;
  let nowMs = 0;
  for (let i = 0; i < 200; i++) {
    nowMs += Math.max(chunkMs, (chunkMs + delayMs) / window.size);
    window.delivered(nowMs, Math.max(chunkMs + delayMs, window.size * chunkMs), CHUNK_BYTES);
  }
  return window.size;
}

/** A window without bounds, of a peer that brings a chunk every 10 ms of what was asked for so long before. */
function busy(elapsedMs: number): {
  window: RequestWindow;
  deliver(gapMs: number, elapsedMs: number): void;
} {
  const window = new RequestWindow(10_000);
  let nowMs = 0;
  const deliver = (gapMs: number, elapsedMs: number) => {
    nowMs += gapMs;
    window.delivered(nowMs, elapsedMs, CHUNK_BYTES);
  };
  for (let count = 0; count < 200; count++) deliver(10, elapsedMs);
  return { window, deliver };
}

it.each([
  [0, 1],
  [1, 1],
  [MIN_REQUESTS + 1, MIN_REQUESTS],
])("of at most %d begins with %d", (max, size) => expect(new RequestWindow(max).size).toBe(size));

it.each([
  [100, MIN_QUEUE_MS],
  [1000, 1500],
  [5000, MAX_QUEUE_MS],
])(
  "keeps work queued for half as long again as the shortest wait, of %d ms, within bounds",
  (elapsedMs, queueMs) => {
    const { window, deliver } = busy(elapsedMs);
    deliver(10, 3 * elapsedMs);
    expect(Math.abs(window.size - (queueMs / 10 + 1))).toBeLessThanOrEqual(1);
  },
);

it("follows the speed slowly, and tells one of a chunk that came in no time", () => {
  const { window, deliver } = busy(1000);
  deliver(50, 1000);
  expect(window.bytesPerSecond / CHUNK_BYTES).toBeCloseTo(50);
  const sudden = new RequestWindow(16);
  sudden.delivered(0, 0, CHUNK_BYTES);
  expect(sudden.bytesPerSecond).toBeLessThan(Number.POSITIVE_INFINITY);
});

it("stays small on a slow link", () => expect(settle(100, 20, 16)).toBe(MIN_REQUESTS));
it("fills a fast link with a long delay", () => expect(settle(20_000, 300, 64)).toBeGreaterThanOrEqual(8));
it("never passes what the transport bears", () => expect(settle(1_000_000, 10, 2)).toBe(2));
