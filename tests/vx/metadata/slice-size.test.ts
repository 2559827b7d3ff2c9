/** How long the slices of a scan become, by what they take. */
import { expect, test } from "vitest";
import {
  MIN_SLICE_SLOTS,
  SLICE_MS,
  SLICE_TIME_MS,
  SLICES_UNTIL_TRIED,
} from "../../../src/vx/metadata/limits.ts";
import { SliceSize } from "../../../src/vx/metadata/slice-size.ts";

/** The slices of a scan in which each takes so long, and each of its slots; one that takes more than it may is cut off. */
function scanOf(limit: number, fixedMs: (slice: number) => number, slotMs: number) {
  const size = new SliceSize();
  const slices: { slots: number; tookMs: number }[] = [];
  for (let at = 0; at < limit; ) {
    const { slots, isLeast, mostMs } = size;
    const tookMs = fixedMs(slices.length) + slotMs * slots;
    const isCut = !isLeast && tookMs > mostMs;
    slices.push({ slots, tookMs: isCut ? mostMs : tookMs });
    if (isCut) size.tookTooLong();
    else size.took(tookMs);
    if (!isCut) at += slots;
  }
  return slices;
}

const longest = (slices: { tookMs: number }[]) => Math.max(...slices.map(({ tookMs }) => tookMs));

test.each([0, 0.5])("take as long as others may wait, with %d ms besides their slots", (fixedMs) => {
  const slices = scanOf(1_000_000, () => fixedMs, 0.0001);
  expect(longest(slices)).toBeLessThanOrEqual(SLICE_TIME_MS);
  expect(slices.at(-2)?.tookMs).toBeCloseTo(SLICE_MS, 0);
});

test("have the fewest slots where these take long, but for some that are tried", () => {
  const slices = scanOf(10_000, () => 1, 8);
  const larger = slices.filter(({ slots }) => slots > MIN_SLICE_SLOTS);
  expect(larger.length).toBeLessThanOrEqual(Math.ceil(slices.length / SLICES_UNTIL_TRIED));
  expect(longest(slices)).toBeLessThanOrEqual(2 * (1 + 8 * MIN_SLICE_SLOTS));
});

test.each([10, 250])(
  "are few where each takes %d ms besides, and hardly more than twice as long",
  (fixedMs) => {
    const slices = scanOf(1_000_000, () => fixedMs, 0.0001);
    expect(slices.length).toBeLessThan(30);
    expect(longest(slices)).toBeLessThanOrEqual(2.2 * fixedMs);
  },
);

test("are few also on a machine that is busy now and then", () => {
  const busy = new Set([0, 1, 4, 6, 7, 11, 16, 18]);
  const slices = scanOf(30_000, (slice) => (busy.has(slice) ? 240 : 60), 0.001);
  expect(slices.length).toBeLessThan(40);
});
