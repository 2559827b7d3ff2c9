/** Numbers as people read them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bytesText,
  countText,
  durationText,
  percentText,
  speedText,
  timeLeftText,
  whenText,
} from "../../../src/ui/elements/quantities.ts";

describe("quantities", () => {
  test.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [999, "999 bytes"],
    [1000, "1 kB"],
    [1536, "1.54 kB"],
    [12_345, "12.3 kB"],
    [999_499, "999 kB"],
    [999_600, "1 MB"],
    [4_294_967_296, "4.29 GB"],
  ])("%d bytes read %s", (bytes, text) => {
    expect(bytesText(bytes)).toBe(text);
  });

  test("no size reads as a thousand of its unit", () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (bytes) => {
        expect(Number.parseFloat(bytesText(bytes))).toBeLessThan(1000);
      }),
    );
  });

  test.each([
    [0, "0 s"],
    [0.2, "1 s"],
    [59, "59 s"],
    [61, "1 min"],
    [3570, "1 h"],
    [7800, "2 h 10 min"],
    [400_000, "5 days"],
  ])("%d seconds read %s", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  test("a share is a hundred per cent only when all is there", () => {
    expect(percentText(0.9999)).toBe("99 %");
    expect(percentText(1)).toBe("100 %");
  });

  test("the time left is not told of a transfer that stands still", () => {
    expect(timeLeftText(1000, 0)).toBeUndefined();
    expect(timeLeftText(10_000, 1000)).toBe("10 s left");
  });

  test("counts and speeds have their unit", () => {
    expect([countText(1, "peer"), countText(2, "peer"), countText(2, "match", "matches")]).toEqual([
      "1 peer",
      "2 peers",
      "2 matches",
    ]);
    expect(speedText(2_000_000)).toBe("2 MB/s");
  });

  test("near times are words", () => {
    const now = Date.parse("2026-11-21T12:00:00Z");
    expect(whenText("2026-11-21T11:59:50Z", now)).toBe("just now");
    expect(whenText("2026-11-21T11:30:00Z", now)).toBe("30 min ago");
    expect(whenText("2026-03-14T11:30:00Z", now)).not.toContain("2026");
    expect(whenText("2025-12-14T11:30:00Z", now)).toContain("2025");
  });
});
