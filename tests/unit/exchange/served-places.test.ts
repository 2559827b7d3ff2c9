/** Whose conversation gives way to a newcomer's: src/exchange/serving/served-places. */
import { expect, it } from "vitest";
import {
  KEPT_PLACES_PER_HOST,
  MAX_BLOCK_BYTES,
  SLOW_READER_BYTES_PER_SECOND,
  SLOW_READER_MS,
} from "../../../src/exchange/limits.ts";
import { type PlaceHolder, whoGivesWay } from "../../../src/exchange/serving/served-places.ts";
import { TRICKLE_BYTES_PER_SECOND } from "../../../src/sharing/limits.ts";

/** One that waits for an answer, and lets pieces wait. */
function slow(bytesPerSecond: number, servedMs: number, rest: Partial<PlaceHolder> = {}): PlaceHolder {
  const sentBytes = (bytesPerSecond * servedMs) / 1000;
  const waiting = { host: "host", isAsking: true, outlastsItsEnd: false, lastWantMs: 1, letsWait: true };
  return { ...waiting, servedMs, sentBytes, ...rest };
}

/** One that waits for its turn. */
const waitingAt = (host: string, rest: Partial<PlaceHolder> = {}) =>
  slow(100, HOUR_MS, { host, letsWait: false, ...rest });

const many = (count: number, host: string) => Array.from({ length: count }, () => waitingAt(host));

const HOUR_MS = 3_600_000;
const blockMs = (bytesPerSecond: number) => (MAX_BLOCK_BYTES * 1000) / bytesPerSecond;

it("whoever asks for nothing gives way before the slowest", () => {
  const [trickling, idle] = [slow(1, HOUR_MS), slow(1e6, HOUR_MS, { isAsking: false })];
  expect(whoGivesWay([trickling, idle], "new")).toBe(idle);
});

it("of those that ask for nothing who never asked for a block gives way, and then who last did the longest ago", () => {
  const [late, never, early] = [5, 0, 3].map((lastWantMs) =>
    slow(1e6, HOUR_MS, { isAsking: false, lastWantMs }),
  );
  expect(
    whoGivesWay(
      [late, never, early].filter((peer) => peer !== undefined),
      "new",
    ),
  ).toBe(never);
  expect(
    whoGivesWay(
      [late, early].filter((peer) => peer !== undefined),
      "new",
    ),
  ).toBe(early);
});

it("of slow ones that have a block who takes the least a second gives way", () => {
  const [fast, slower, middle] = [20_000, 8_000, 10_000].map((speed) => slow(speed, 2 * blockMs(speed)));
  expect(
    whoGivesWay(
      [fast, slower, middle].filter((peer) => peer !== undefined),
      "new",
    ),
  ).toBe(slower);
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
  expect(whoGivesWay([holder], "new")).toBe(givesWay ? holder : undefined);
});

it("who takes the least goes of the host that has the most places, where nobody else does", () => {
  const least = waitingAt("many", { sentBytes: 0 });
  const holders = [...many(KEPT_PLACES_PER_HOST, "some"), ...many(KEPT_PLACES_PER_HOST, "many"), least];
  expect(whoGivesWay(holders, "new")).toBe(least);
  const readFor = holders.map((one) => (one === least ? { ...one, outlastsItsEnd: true } : one));
  expect(whoGivesWay(readFor, "new")).toMatchObject({ host: "many", outlastsItsEnd: false });
  expect(whoGivesWay([...holders, slow(1, HOUR_MS, { host: "one" })], "new")?.host).toBe("one");
});

it("of a host that has too many places who has just come goes before those that were sent something", () => {
  const newest = waitingAt("many", { servedMs: 0, sentBytes: 0 });
  expect(whoGivesWay([...many(KEPT_PLACES_PER_HOST, "many"), newest], "new")).toBe(newest);
});

it("no more than a household's places are kept from others, and from a host that has as many none is taken", () => {
  expect(whoGivesWay(many(KEPT_PLACES_PER_HOST, "household"), "new")).toBeUndefined();
  const most = many(KEPT_PLACES_PER_HOST + 2, "many");
  expect(whoGivesWay(most, "many")).toBeUndefined();
  expect(whoGivesWay([...most, ...many(KEPT_PLACES_PER_HOST + 1, "others")], "others")).toBeUndefined();
  expect(whoGivesWay([...most, ...many(KEPT_PLACES_PER_HOST, "others")], "others")?.host).toBe("many");
});
