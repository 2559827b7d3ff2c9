import { expect, it } from "vitest";
import {
  MAX_BLOCK_BYTES,
  SLOW_READER_BYTES_PER_SECOND,
  SLOW_READER_MS,
} from "../../../src/exchange/limits.ts";
import { type PlaceHolder, whoGivesWay } from "../../../src/exchange/serving/served-places.ts";
import { TRICKLE_BYTES_PER_SECOND } from "../../../src/sharing/limits.ts";

/** One that waits for an answer, and lets pieces wait. */
function slow(bytesPerSecond: number, servedMs: number, rest: Partial<PlaceHolder> = {}): PlaceHolder {
  const sentBytes = (bytesPerSecond * servedMs) / 1000;
  const waiting = { isAsking: true, outlastsItsEnd: false, lastWantMs: 1, letsWait: true };
  return { ...waiting, servedMs, sentBytes, ...rest };
}

const HOUR_MS = 3_600_000;
const blockMs = (bytesPerSecond: number) => (MAX_BLOCK_BYTES * 1000) / bytesPerSecond;

it("whoever asks for nothing gives way before the slowest", () => {
  const [trickling, idle] = [slow(1, HOUR_MS), slow(1e6, HOUR_MS, { isAsking: false })];
  expect(whoGivesWay([trickling, idle])).toBe(idle);
});

it("of those that ask for nothing who never asked for a block gives way, and then who last did the longest ago", () => {
  const [late, never, early] = [5, 0, 3].map((lastWantMs) =>
    slow(1e6, HOUR_MS, { isAsking: false, lastWantMs }),
  );
  expect(whoGivesWay([late, never, early].filter((peer) => peer !== undefined))).toBe(never);
  expect(whoGivesWay([late, early].filter((peer) => peer !== undefined))).toBe(early);
});

it("of slow ones that have a block who takes the least a second gives way", () => {
  const [fast, slower, middle] = [20_000, 8_000, 10_000].map((speed) => slow(speed, 2 * blockMs(speed)));
  expect(whoGivesWay([fast, slower, middle].filter((peer) => peer !== undefined))).toBe(slower);
});

it.each([
  [
    "takes next to nothing, but has just come",
    slow(TRICKLE_BYTES_PER_SECOND - 1, SLOW_READER_MS - 1000),
    false,
  ],
  ["takes next to nothing", slow(TRICKLE_BYTES_PER_SECOND - 1, SLOW_READER_MS), true],
  ["gets on, and has no block yet", slow(TRICKLE_BYTES_PER_SECOND, SLOW_READER_MS), false],
  ["is slow, and has a block", slow(10_000, blockMs(10_000)), true],
  ["is fast, though a piece waits", slow(SLOW_READER_BYTES_PER_SECOND, HOUR_MS), false],
  ["is slow, and would still be read for", slow(1, HOUR_MS, { outlastsItsEnd: true }), false],
  [
    "asks for nothing, and would still be read for",
    slow(1, HOUR_MS, { isAsking: false, outlastsItsEnd: true }),
    false,
  ],
  ["waits for its turn under a low rate", slow(10, HOUR_MS, { letsWait: false }), false],
])("one that %s", (_, holder, givesWay) => {
  expect(whoGivesWay([holder])).toBe(givesWay ? holder : undefined);
});
